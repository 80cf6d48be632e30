// Celjudge evaluates matchConditions by the code of kube-apiserver itself.
//
// It reads one JSON object a line, {"expression": …, "object": …, "oldObject": …}, and writes one a line:
// {"matches": true} when the webhook would be called, {"error": …} for what does not compile or fails.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/cel/environment"
)

type question struct {
	Expression string         `json:"expression"`
	Object     map[string]any `json:"object"`
	OldObject  map[string]any `json:"oldObject"`
}

type answer struct {
	Matches bool   `json:"matches"`
	Error   string `json:"error,omitempty"`
}

var failurePolicy = v1.Fail // with Ignore an error would look like a false

func main() {
	compiler := cel.NewConditionCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	matchers := map[string]matchconditions.Matcher{}
	in, out := bufio.NewReaderSize(os.Stdin, 1<<20), json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked question
		if err := json.Unmarshal(line, &asked); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		matcher, known := matchers[asked.Expression]
		if !known {
			matcher = compile(compiler, asked.Expression)
			matchers[asked.Expression] = matcher
		}
		if err := out.Encode(judge(matcher, asked)); err != nil {
			os.Exit(1)
		}
	}
}

func compile(compiler cel.ConditionCompiler, expression string) matchconditions.Matcher {
	condition := matchconditions.MatchCondition{Name: "judged", Expression: expression}
	evaluator := compiler.CompileCondition(
		[]cel.ExpressionAccessor{&condition},
		cel.OptionalVariableDeclarations{HasAuthorizer: true},
		environment.StoredExpressions,
	)
	return matchconditions.NewMatcher(evaluator, &failurePolicy, "webhook", "admit", "judged")
}

func judge(matcher matchconditions.Matcher, asked question) answer {
	kind := schema.GroupVersionKind{Group: "example.dev", Version: "v1", Kind: "Sample"}
	resource := schema.GroupVersionResource{Group: "example.dev", Version: "v1", Resource: "samples"}
	operation := admission.Update
	if asked.OldObject == nil {
		operation = admission.Create
	}
	object, old := wrapped(asked.Object), wrapped(asked.OldObject)
	attributes := admission.NewAttributesRecord(
		object, old, kind, "default", "sample", resource, "status", operation, nil, false, nil,
	)
	versioned := &admission.VersionedAttributes{
		Attributes: attributes, VersionedObject: object, VersionedOldObject: old, VersionedKind: kind,
	}
	result := matcher.Match(context.Background(), versioned, nil, nil)
	if result.Error != nil {
		return answer{Error: result.Error.Error()}
	}
	return answer{Matches: result.Matches}
}

func wrapped(content map[string]any) runtime.Object {
	if content == nil {
		return nil
	}
	return &unstructured.Unstructured{Object: content}
}
