{{- /* Host Pods, in whatever namespace; the controller labels them with their instance. */}}
{{- define "aip-fleet.hostPeers" -}}
- namespaceSelector: {}
  podSelector:
    matchExpressions:
      - { key: fleet.aip.dev/instance, operator: Exists }
{{- end }}

{{- define "aip-fleet.testPeer" -}}
- podSelector:
    matchLabels:
      {{- include "aip-fleet.selectorLabels" . | nindent 6 }}
      app.kubernetes.io/component: test
{{- end }}

{{- define "aip-fleet.dnsEgress" -}}
- ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
{{- end }}

{{- define "aip-fleet.postgresEgress" -}}
- ports:
    - { port: {{ .Values.networkPolicy.postgresPort }}, protocol: TCP }
  {{- if .Values.postgres.embedded.enabled }}
  to:
    - podSelector:
        matchLabels:
          {{- include "aip-fleet.selectorLabels" . | nindent 10 }}
          app.kubernetes.io/component: postgres
  {{- end }}
{{- end }}
