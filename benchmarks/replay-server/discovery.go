package main

import (
	"fmt"
	"net/http"
)

// What clients read before they ask for objects.
var discovery = map[string]string{
	"GET /version": `{"major":"1","minor":"36","gitVersion":"v1.36.3","platform":"linux/amd64"}`,
	"GET /api":     `{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[]}`,
	"GET /apis": `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"bench.tidewatch.dev",` +
		`"versions":[{"groupVersion":"bench.tidewatch.dev/v1","version":"v1"}],` +
		`"preferredVersion":{"groupVersion":"bench.tidewatch.dev/v1","version":"v1"}}]}`,
	"GET /api/v1": `{"kind":"APIResourceList","groupVersion":"v1","resources":[` +
		described("pods", "pod", "Pod") + "," + described("events", "event", "Event") + "," +
		described("configmaps", "configmap", "ConfigMap") + "," + described("secrets", "secret", "Secret") + `]}`,
	"GET /apis/bench.tidewatch.dev/v1": `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"bench.tidewatch.dev/v1","resources":[` +
		described("databases", "database", "Database") + `]}`,
	"GET /readyz": `ok`,
}

func described(name, singular, kind string) string {
	return fmt.Sprintf(`{"name":%q,"singularName":%q,"namespaced":true,"kind":%q,"verbs":["get","list","watch"]}`, name, singular, kind)
}

func addDiscovery(mux *http.ServeMux) {
	for pattern, body := range discovery {
		mux.HandleFunc(pattern, func(response http.ResponseWriter, _ *http.Request) {
			response.Header().Set("Content-Type", "application/json")
			_, _ = response.Write([]byte(body))
		})
	}
}
