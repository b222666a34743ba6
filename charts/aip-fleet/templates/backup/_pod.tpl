{{- /* The Pod of a backup or a restore. Takes the name of its script, its own variables and the root. */}}
{{- define "aip-fleet.backupPod" -}}
{{- $script := index . 0 }}{{ $env := index . 1 }}{{ $root := index . 2 -}}
{{- $values := $root.Values.backup -}}
restartPolicy: Never
automountServiceAccountToken: false
enableServiceLinks: false
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  {{- if eq $root.Values.runAs "Fleet" }}
  runAsUser: {{ $values.runAsUser }}
  runAsGroup: {{ $values.runAsUser }}
  fsGroup: {{ $values.runAsUser }}
  {{- end }}
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- include "aip-fleet.placement" $values }}
containers:
  - name: {{ $script }}
    image: {{ $values.image }}
    command: [sh, /etc/aip/backup/{{ $script }}.sh]
    securityContext:
      {{- include "aip-fleet.containerSecurityContext" $root | nindent 6 }}
    env:
      - { name: DATABASE_URL_FILE, value: /etc/aip/database/url }
      {{- if or $root.Values.postgres.ca.secret.name $root.Values.postgres.ca.configMap.name }}
      # What a URL without sslmode means where an authority is named.
      - { name: PGSSLMODE, value: verify-full }
      - { name: PGSSLROOTCERT, value: /etc/aip/database-ca/ca.crt }
      {{- end }}
      - { name: BACKUP_FOLDER, value: /backups }
      {{- toYaml $env | nindent 6 }}
    resources:
      {{- toYaml $values.resources | nindent 6 }}
    volumeMounts:
      - { name: backups, mountPath: /backups }
      - { name: scripts, mountPath: /etc/aip/backup, readOnly: true }
      - { name: tmp, mountPath: /tmp }
      {{- include "aip-fleet.databaseMounts" $root | nindent 6 }}
volumes:
  - name: backups
    persistentVolumeClaim:
      claimName: {{ include "aip-fleet.backupClaim" $root }}
  - name: scripts
    configMap:
      name: {{ include "aip-fleet.fullname" $root }}-backup
  - name: tmp
    emptyDir: { sizeLimit: 64Mi }
  {{- include "aip-fleet.databaseVolumes" $root | nindent 2 }}
{{- end }}

{{- define "aip-fleet.backupClaim" -}}
{{- default (printf "%s-backup" (include "aip-fleet.fullname" .)) .Values.backup.storage.existingClaim }}
{{- end }}

{{- define "aip-fleet.backupLabels" -}}
{{- include "aip-fleet.labels" . }}
app.kubernetes.io/component: backup
{{- end }}
