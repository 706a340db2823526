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

{{/* The port on which the API answers. */}}
{{- define "gatelog.apiPort" -}}
{{ ternary "gateway" "api" .Values.oneAddress.enabled }}
{{- end -}}

{{- define "gatelog.basePath" -}}
{{ ternary .Values.oneAddress.basePath "" .Values.oneAddress.enabled }}
{{- end -}}

{{/* Before the paths of the gateway's checks. */}}
{{- define "gatelog.checkPath" -}}
{{ ternary (printf "%s/gateway" .Values.oneAddress.basePath) "" .Values.oneAddress.enabled }}
{{- end -}}

{{- define "gatelog.scheme" -}}
{{ ternary "HTTPS" "HTTP" (ne .Values.listenerTls.secret "") }}
{{- end -}}

{{/* Of the ingress. */}}
{{- define "gatelog.outerScheme" -}}
{{ ternary "https" "http" (ne .Values.ingress.tlsSecret "") }}
{{- end -}}
