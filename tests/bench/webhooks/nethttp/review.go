package main

import (
	"encoding/base64"
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

const (
	maxConditions = 10
	maxMessage    = 1024
	marker        = "… [cut]"
)

// condition is one condition, as it came in, and what is asked about it.
type condition struct {
	raw     string
	changed time.Time
	message gjson.Result // of the condition; Index is where it stands in raw
}

// review answers an AdmissionReview.
func review(body []byte) ([]byte, error) {
	request := gjson.GetBytes(body, "request")
	uid := request.Get("uid")
	if uid.Type != gjson.String {
		return nil, errors.New("no AdmissionReview")
	}
	answer := append(make([]byte, 0, 512), `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1",`...)
	answer = append(answer, `"response":{"uid":`...)
	answer = append(answer, uid.Raw...)
	answer = append(answer, `,"allowed":true`...)
	if patch := trim(request.Get("object.status.conditions")); patch != nil {
		answer = append(answer, `,"patchType":"JSONPatch","patch":"`...)
		answer = base64.StdEncoding.AppendEncode(answer, patch)
		answer = append(answer, '"')
	}
	return append(answer, `}}`...), nil
}

// trim returns the JSON Patch that keeps the newest conditions and cuts their messages, nil if nothing is to be done.
func trim(list gjson.Result) []byte {
	conditions := conditionsOf(list)
	kept := newest(conditions)
	if len(kept) == len(conditions) && !slices.ContainsFunc(kept, tooLong) {
		return nil
	}
	patch := append(make([]byte, 0, 4096), `[{"op":"replace","path":"/status/conditions","value":[`...)
	for i, one := range kept {
		if i > 0 {
			patch = append(patch, ',')
		}
		patch = one.append(patch)
	}
	return append(patch, `]}]`...)
}

// conditionsOf reads the members that matter of every condition.
func conditionsOf(list gjson.Result) []condition {
	conditions := make([]condition, 0, 3*maxConditions)
	list.ForEach(func(_, item gjson.Result) bool {
		conditions = append(conditions, conditionOf(item))
		return true
	})
	return conditions
}

func conditionOf(item gjson.Result) condition {
	found := condition{raw: item.Raw}
	item.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "lastTransitionTime":
			found.changed, _ = time.Parse(time.RFC3339, value.Str)
		case "message":
			found.message = value
			found.message.Index -= item.Index
		}
		return true
	})
	return found
}

// newest returns the conditions that changed last, in their order; of two that changed at once the later one is newer.
func newest(conditions []condition) []condition {
	if len(conditions) <= maxConditions {
		return conditions
	}
	byAge := make([]int, len(conditions))
	for i := range byAge {
		byAge[i] = i
	}
	slices.SortStableFunc(byAge, func(i, j int) int { return conditions[i].changed.Compare(conditions[j].changed) })
	positions := byAge[len(byAge)-maxConditions:]
	slices.Sort(positions)
	kept := make([]condition, 0, maxConditions)
	for _, position := range positions {
		kept = append(kept, conditions[position])
	}
	return kept
}

func tooLong(one condition) bool {
	return one.message.Type == gjson.String && len(one.message.Str) > maxMessage
}

// append adds the condition to a document, its message cut if it is too long, never inside a character.
func (c condition) append(document []byte) []byte {
	if !tooLong(c) {
		return append(document, c.raw...)
	}
	end := maxMessage - len(marker)
	for end > 0 && !utf8.RuneStart(c.message.Str[end]) {
		end--
	}
	document = append(document, c.raw[:c.message.Index]...)
	document = gjson.AppendJSONString(document, c.message.Str[:end]+marker)
	return append(document, c.raw[c.message.Index+len(c.message.Raw):]...)
}
