{{- /* Name of the chart, or what the user calls it. */}}
{{- define "aip-fleet.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- /* Prefix of every object; short enough that names made from it stay within 63 characters. */}}
{{- define "aip-fleet.fullname" -}}
{{- default .Release.Name .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "aip-fleet.selectorLabels" -}}
app.kubernetes.io/name: {{ include "aip-fleet.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "aip-fleet.labels" -}}
{{ include "aip-fleet.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: aip-fleet
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* Image reference of a program: by digest where one is given. Takes the image's values and the root. */}}
{{- define "aip-fleet.image" -}}
{{- $image := index . 0 }}{{ $root := index . 1 -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ default $root.Chart.AppVersion $image.tag }}
{{- end }}
{{- end }}

{{- /* Trust domain of the fleet's principals; it may never change, so it depends on names only. */}}
{{- define "aip-fleet.trustDomain" -}}
{{- default (printf "%s.%s" (include "aip-fleet.fullname" .) .Release.Namespace) .Values.trustDomain }}
{{- end }}

{{- /* Names by which a service of this namespace is called. Takes the service's name, further names and the root. */}}
{{- define "aip-fleet.dnsNames" -}}
{{- $service := index . 0 }}{{ $more := index . 1 }}{{ $root := index . 2 -}}
{{- $ns := $root.Release.Namespace -}}
{{- $own := list (printf "%s.%s.svc" $service $ns) (printf "%s.%s.svc.%s" $service $ns $root.Values.clusterDomain) (printf "%s.%s" $service $ns) $service -}}
{{- concat $own $more | uniq | join "," }}
{{- end }}

{{- /* Without :443: hosts compare the callback URL that they are given with the gateway's own, character by character, and a URL in normal form has no default port. */}}
{{- define "aip-fleet.gatewayUrl" -}}
https://{{ include "aip-fleet.fullname" . }}-gateway.{{ .Release.Namespace }}.svc
{{- end }}

{{- define "aip-fleet.controlUrl" -}}
https://{{ include "aip-fleet.fullname" . }}-control-plane.{{ .Release.Namespace }}.svc:8090/aip/v1/connector-control
{{- end }}

{{- /* Where the database URL lies: the user's Secret, or the one of the trial database. */}}
{{- define "aip-fleet.databaseSecretRef" -}}
{{- if .Values.postgres.embedded.enabled -}}
name: {{ include "aip-fleet.fullname" . }}-postgres
key: url
{{- else -}}
name: {{ .Values.postgres.urlSecret.name }}
key: {{ .Values.postgres.urlSecret.key }}
{{- end }}
{{- end }}

{{- /* The database's URL, and its authority where one is named, as volumes; they are followed, so that a changed password needs no restart. */}}
{{- define "aip-fleet.databaseVolumes" -}}
{{- $ref := fromYaml (include "aip-fleet.databaseSecretRef" .) -}}
{{- $ca := .Values.postgres.ca -}}
- name: database
  secret:
    secretName: {{ $ref.name }}
    defaultMode: 288 # 0440
    items:
      - { key: {{ $ref.key }}, path: url }
{{- if $ca.secret.name }}
- name: database-ca
  secret:
    secretName: {{ $ca.secret.name }}
    items:
      - { key: {{ $ca.secret.key }}, path: ca.crt }
{{- else if $ca.configMap.name }}
- name: database-ca
  configMap:
    name: {{ $ca.configMap.name }}
    items:
      - { key: {{ $ca.configMap.key }}, path: ca.crt }
{{- end }}
{{- end }}

{{- define "aip-fleet.databaseMounts" -}}
- { name: database, mountPath: /etc/aip/database, readOnly: true }
{{- if or .Values.postgres.ca.secret.name .Values.postgres.ca.configMap.name }}
- { name: database-ca, mountPath: /etc/aip/database-ca, readOnly: true }
{{- end }}
{{- end }}

{{- define "aip-fleet.podSecurityContext" -}}
runAsNonRoot: true
{{- if eq .Values.runAs "Fleet" }}
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
{{- end }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "aip-fleet.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- /* Spread over nodes and zones unless the user says how. Takes component, the user's constraints and the root. */}}
{{- define "aip-fleet.topologySpread" -}}
{{- $component := index . 0 }}{{ $own := index . 1 }}{{ $root := index . 2 -}}
{{- if $own -}}
{{ toYaml $own }}
{{- else -}}
{{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
- maxSkew: 1
  topologyKey: {{ . }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "aip-fleet.selectorLabels" $root | nindent 6 }}
      app.kubernetes.io/component: {{ $component }}
{{- end }}
{{- end }}
{{- end }}

{{- /* What of a Pod the user decides. Takes the component's values. */}}
{{- define "aip-fleet.placement" -}}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{- /* What the edge lets through: the native API, and no health, readiness, manifest or metrics route. One path a line, Exact or Prefix before it. */}}
{{- define "aip-fleet.publicPaths" -}}
{{- $route := . -}}
Exact /aip/v1/messages
{{- range list "actions" "events" "capabilities" "sessions" "approvals" "transactions" "callback-deliveries" "receipts" "audit" "resources" }}
Prefix /aip/v1/{{ . }}
{{- end }}
Exact /aip/v1/ws
{{- if $route.connectorIngress }}
Exact /aip/v1/connector-events
Exact /aip/v1/connector-callbacks
{{- end }}
{{- range $route.extraPaths }}
Prefix {{ . }}
{{- end }}
{{- end }}

{{- /* The variables of telemetry; none without an endpoint. */}}
{{- define "aip-fleet.telemetryEnv" -}}
{{- with .Values.telemetry }}
{{- if .otlp.endpoint }}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ .otlp.endpoint | quote }}
- name: OTEL_TRACES_SAMPLER
  value: {{ .sampler }}
- name: OTEL_TRACES_SAMPLER_ARG
  value: {{ .samplerRatio | quote }}
{{- with .otlp.headersSecret }}
- name: OTEL_EXPORTER_OTLP_HEADERS
  valueFrom:
    secretKeyRef: { name: {{ . }}, key: headers, optional: true }
{{- end }}
{{- end }}
{{- end }}
{{- end }}
