{{- /* Host Pods of the namespaces that have hosts; the controller labels them with their instance. */}}
{{- define "aip-fleet.hostPeers" -}}
- namespaceSelector:
  {{- if .Values.networkPolicy.hostNamespaces }}
    {{- toYaml .Values.networkPolicy.hostNamespaces | nindent 4 }}
  {{- else if .Values.controller.watchNamespaces }}
    matchExpressions:
      - key: kubernetes.io/metadata.name
        operator: In
        values: {{ append .Values.controller.watchNamespaces .Release.Namespace | uniq | toJson }}
  {{- else if eq .Values.tenancy "open" }} {}
  {{- else }}
    matchLabels:
      fleet.aip.dev/hosts: "true"
  {{- end }}
  {{- include "aip-fleet.hostPods" . | nindent 2 }}
{{- if and (eq .Values.tenancy "annotated") (or .Values.networkPolicy.hostNamespaces (not .Values.controller.watchNamespaces)) }}
{{- /* Those of the release's own namespace, as of helm test. */}}
- {{ include "aip-fleet.hostPods" . | trim | nindent 2 | trim }}
{{- end }}
{{- end }}

{{- define "aip-fleet.hostPods" -}}
podSelector:
  matchLabels:
    app.kubernetes.io/component: host
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

{{- /* How deliveries of providers reach the hosts, as the controller reads it. */}}
{{- define "aip-fleet.webhookEdge" -}}
{{- $edge := dict "host" .host "from" .from }}
{{- if .ingress.enabled }}{{- $edge = merge $edge (dict "ingress" (omit .ingress "enabled")) }}{{- end }}
{{- if .httpRoute.enabled }}{{- $edge = merge $edge (dict "httpRoute" (omit .httpRoute "enabled")) }}{{- end }}
{{- $edge | toJson }}
{{- end }}
