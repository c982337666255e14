package main

import "net/http"

// What clients read before they ask for pods.
var discovery = map[string]string{
	"GET /version": `{"major":"1","minor":"36","gitVersion":"v1.36.3","platform":"linux/amd64"}`,
	"GET /api":     `{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[]}`,
	"GET /apis":    `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`,
	"GET /api/v1": `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods","singularName":"pod",` +
		`"namespaced":true,"kind":"Pod","verbs":["get","list","watch"],"shortNames":["po"]}]}`,
	"GET /readyz": `ok`,
}

func addDiscovery(mux *http.ServeMux) {
	for pattern, body := range discovery {
		mux.HandleFunc(pattern, func(response http.ResponseWriter, _ *http.Request) {
			response.Header().Set("Content-Type", "application/json")
			_, _ = response.Write([]byte(body))
		})
	}
}
