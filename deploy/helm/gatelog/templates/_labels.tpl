{{- define "gatelog.name" -}}
{{- if .Values.nameOverride -}}
{{ .Values.nameOverride }}
{{- else if contains "gatelog" .Release.Name -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-gatelog" .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{- define "gatelog.selector" -}}
app.kubernetes.io/name: gatelog
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "gatelog.labels" -}}
{{ include "gatelog.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "gatelog.secret" -}}
{{ .Values.secret.existing | default (include "gatelog.name" .) }}
{{- end -}}
