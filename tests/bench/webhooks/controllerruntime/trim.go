package main

import (
	"sort"
	"time"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	maxConditions = 10
	maxMessage    = 1024
	marker        = "… [cut]"
)

// trim keeps the newest conditions of an object's status, in their order, and cuts their messages.
func trim(object *unstructured.Unstructured) error {
	conditions, found, err := unstructured.NestedSlice(object.Object, "status", "conditions")
	if err != nil || !found {
		return err
	}
	conditions = newest(conditions)
	for _, condition := range conditions {
		if fields, ok := condition.(map[string]any); ok {
			truncate(fields)
		}
	}
	return unstructured.SetNestedSlice(object.Object, conditions, "status", "conditions")
}

// newest returns the conditions that changed last, in their order; of two that changed at once the later one is newer.
func newest(conditions []any) []any {
	if len(conditions) <= maxConditions {
		return conditions
	}
	times := make([]time.Time, len(conditions))
	byAge := make([]int, len(conditions))
	for i, condition := range conditions {
		byAge[i] = i
		times[i] = transition(condition)
	}
	sort.SliceStable(byAge, func(i, j int) bool { return times[byAge[i]].Before(times[byAge[j]]) })
	positions := byAge[len(byAge)-maxConditions:]
	sort.Ints(positions)
	kept := make([]any, 0, maxConditions)
	for _, position := range positions {
		kept = append(kept, conditions[position])
	}
	return kept
}

// transition returns when a condition changed, the zero time when it does not tell.
func transition(condition any) time.Time {
	fields, ok := condition.(map[string]any)
	if !ok {
		return time.Time{}
	}
	text, _, _ := unstructured.NestedString(fields, "lastTransitionTime")
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return at
}

// truncate cuts a message that is too long, never inside a character.
func truncate(fields map[string]any) {
	message, ok := fields["message"].(string)
	if !ok || len(message) <= maxMessage {
		return
	}
	end := maxMessage - len(marker)
	for end > 0 && !utf8.RuneStart(message[end]) {
		end--
	}
	fields["message"] = message[:end] + marker
}
