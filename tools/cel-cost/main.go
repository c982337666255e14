// Reads cases from the standard input, one line of JSON each, and prints them with what the API server makes of them: what
// each rule costs at most by the estimate, why a definition with that rule alone is refused, and what evaluating the rule
// costs on each of the objects. What it has printed may be its input again.
//
//	go run . < cases.jsonl > judged.jsonl
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"log"
	"os"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

type line struct {
	// The schema of the field spec; rules that stand in it already stay there.
	Spec json.RawMessage `json:"spec"`
	// Values of that field.
	Objects []json.RawMessage `json:"objects,omitempty"`
	// Each stands at the top of the schema by itself.
	Rules []rule `json:"rules"`
}

type rule struct {
	Rule    string   `json:"rule,omitempty"`
	Cost    uint64   `json:"cost"`
	Errors  []string `json:"errors,omitempty"`
	Results []result `json:"results,omitempty"`
}

type result struct {
	Cost   int64    `json:"cost"`
	Errors []string `json:"errors,omitempty"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var one line
		check(json.Unmarshal(in.Bytes(), &one))
		for index := range one.Rules {
			one.Rules[index] = judge(&one, one.Rules[index].Rule)
		}
		check(out.Encode(one))
	}
	check(in.Err())
}

func judge(one *line, text string) rule {
	judged := rule{Rule: text}
	var spec apiextensionsv1.JSONSchemaProps
	check(json.Unmarshal(one.Spec, &spec))
	if text != "" {
		spec.XValidations = append(spec.XValidations, apiextensionsv1.ValidationRule{Rule: text})
	}
	var schema apiextensions.JSONSchemaProps
	root := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": spec}}
	check(apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&root, &schema, nil))
	judged.Errors = texts(validation.ValidateCustomResourceDefinition(context.Background(), definition(&schema)))

	structural, err := structuralschema.NewStructural(&schema)
	check(err)
	inner := structural.Properties["spec"]
	compiled, err := cel.Compile(&inner, model.SchemaDeclType(&inner, false), celconfig.PerCallLimit,
		environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()), cel.NewExpressionsEnvLoader())
	check(err)
	if len(compiled) > 0 {
		judged.Cost = compiled[len(compiled)-1].MaxCost
	}

	validator := cel.NewValidator(structural, true, celconfig.PerCallLimit)
	for _, raw := range one.Objects {
		var value any
		check(utiljson.Unmarshal(raw, &value))
		object := map[string]any{"apiVersion": "example.com/v1", "kind": "Case", "spec": value}
		errors, left := validator.Validate(context.Background(), nil, structural, object, nil, celconfig.RuntimeCELCostBudget)
		judged.Results = append(judged.Results, result{Cost: celconfig.RuntimeCELCostBudget - left, Errors: texts(errors)})
	}
	return judged
}

func definition(schema *apiextensions.JSONSchemaProps) *apiextensions.CustomResourceDefinition {
	preserve := false
	return &apiextensions.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "cases.example.com"},
		Spec: apiextensions.CustomResourceDefinitionSpec{
			Group:                 "example.com",
			Names:                 apiextensions.CustomResourceDefinitionNames{Plural: "cases", Singular: "case", Kind: "Case", ListKind: "CaseList"},
			Scope:                 apiextensions.NamespaceScoped,
			PreserveUnknownFields: &preserve,
			Conversion:            &apiextensions.CustomResourceConversion{Strategy: apiextensions.NoneConverter},
			Validation:            &apiextensions.CustomResourceValidation{OpenAPIV3Schema: schema},
			Versions:              []apiextensions.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}},
		},
		Status: apiextensions.CustomResourceDefinitionStatus{StoredVersions: []string{"v1"}},
	}
}

func texts(errors field.ErrorList) []string {
	var all []string
	for _, one := range errors {
		all = append(all, one.Error())
	}
	return all
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
