-- request_response_rmt.country_code equals: 
country_code = {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.country_code not-equals: full absent binary text
country_code != {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.country_code like: 
country_code LIKE {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.country_code ilike: 
lowerUTF8(country_code) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request_response_rmt.country_code contains: 
lowerUTF8(country_code) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.country_code not-contains: full absent binary text
lowerUTF8(country_code) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.provider equals: 
lowerUTF8(provider) = lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request_response_rmt.provider not-equals: full absent binary text
lowerUTF8(provider) != lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request_response_rmt.provider like: 
provider LIKE {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.provider ilike: 
lowerUTF8(provider) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request_response_rmt.provider contains: 
lowerUTF8(provider) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.provider not-contains: full absent binary text
lowerUTF8(provider) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.model equals: 
model = {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.model not-equals: full absent binary text
model != {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.model like: 
model LIKE {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.model ilike: 
lowerUTF8(model) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request_response_rmt.model contains: 
lowerUTF8(model) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.model not-contains: full absent binary text
lowerUTF8(model) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.user_id equals: 
user_id = {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.user_id not-equals: full absent binary text
user_id != {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.user_id like: 
user_id LIKE {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.user_id ilike: 
lowerUTF8(user_id) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request_response_rmt.user_id contains: 
lowerUTF8(user_id) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.user_id not-contains: full absent binary text
lowerUTF8(user_id) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.failure_type equals: 
failure_type = {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.failure_type not-equals: full absent binary text
failure_type != {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.failure_type like: 
failure_type LIKE {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.failure_type ilike: 
lowerUTF8(failure_type) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request_response_rmt.failure_type contains: 
lowerUTF8(failure_type) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.failure_type not-contains: full absent binary text
lowerUTF8(failure_type) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.client equals: 
client = {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.client not-equals: full absent binary text
client != {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.client like: 
client LIKE {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.client ilike: 
lowerUTF8(client) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request_response_rmt.client contains: 
lowerUTF8(client) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.client not-contains: full absent binary text
lowerUTF8(client) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.client_version equals: 
client_version = {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.client_version not-equals: full absent binary text
client_version != {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.client_version like: 
client_version LIKE {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.client_version ilike: 
lowerUTF8(client_version) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request_response_rmt.client_version contains: 
lowerUTF8(client_version) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.client_version not-contains: full absent binary text
lowerUTF8(client_version) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.organization_id equals: 
org_text = {p0:String}
-- {"p0":"a_word%"}

-- request_response_rmt.organization_id not-equals: full absent binary text
org_text != {p0:String}
-- {"p0":"a_word%"}

-- request_response_rmt.organization_id like: 
org_text LIKE {p0:String}
-- {"p0":"a_word%"}

-- request_response_rmt.organization_id ilike: 
lowerUTF8(org_text) LIKE lowerUTF8({p0:String})
-- {"p0":"a_word%"}

-- request_response_rmt.organization_id contains: 
lowerUTF8(org_text) LIKE lowerUTF8({p0:String})
-- {"p0":"%a\\_word\\%%"}

-- request_response_rmt.organization_id not-contains: full absent binary text
lowerUTF8(org_text) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%a\\_word\\%%"}

-- request_response_rmt.node_id equals: 
node_id = {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.node_id not-equals: full absent binary text
node_id != {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.node_id like: 
node_id LIKE {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.node_id ilike: 
lowerUTF8(node_id) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request_response_rmt.node_id contains: 
lowerUTF8(node_id) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.node_id not-contains: full absent binary text
lowerUTF8(node_id) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.job_id equals: 
job_id = {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.job_id not-equals: full absent binary text
job_id != {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.job_id like: 
job_id LIKE {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.job_id ilike: 
lowerUTF8(job_id) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request_response_rmt.job_id contains: 
lowerUTF8(job_id) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.job_id not-contains: full absent binary text
lowerUTF8(job_id) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.trace_id equals: 
trace_id = {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.trace_id not-equals: full absent binary text
trace_id != {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.trace_id like: 
trace_id LIKE {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.trace_id ilike: 
lowerUTF8(trace_id) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request_response_rmt.trace_id contains: 
lowerUTF8(trace_id) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.trace_id not-contains: full absent binary text
lowerUTF8(trace_id) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.span_id equals: 
span_id = {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.span_id not-equals: full absent binary text
span_id != {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.span_id like: 
span_id LIKE {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.span_id ilike: 
lowerUTF8(span_id) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request_response_rmt.span_id contains: 
lowerUTF8(span_id) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.span_id not-contains: full absent binary text
lowerUTF8(span_id) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.request_id equals: 
id_text = {p0:String}
-- {"p0":"a_word%"}

-- request_response_rmt.request_id not-equals: full absent binary text
id_text != {p0:String}
-- {"p0":"a_word%"}

-- request_response_rmt.request_id like: 
id_text LIKE {p0:String}
-- {"p0":"a_word%"}

-- request_response_rmt.request_id ilike: 
lowerUTF8(id_text) LIKE lowerUTF8({p0:String})
-- {"p0":"a_word%"}

-- request_response_rmt.request_id contains: 
lowerUTF8(id_text) LIKE lowerUTF8({p0:String})
-- {"p0":"%a\\_word\\%%"}

-- request_response_rmt.request_id not-contains: full absent binary text
lowerUTF8(id_text) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%a\\_word\\%%"}

-- request_response_rmt.target_url equals: 
target_url = {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.target_url not-equals: full absent binary text
target_url != {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.target_url like: 
target_url LIKE {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.target_url ilike: 
lowerUTF8(target_url) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request_response_rmt.target_url contains: 
lowerUTF8(target_url) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.target_url not-contains: full absent binary text
lowerUTF8(target_url) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.scores_column equals: 
if(empty(scores), '{}', concat('{', arrayStringConcat(arrayMap((name, number) -> concat(arrayStringConcat(arrayMap(token -> multiIf(token = '\\/', '/', token = '\\u2028', '\xE2\x80\xA8', token = '\\u2029', '\xE2\x80\xA9', startsWith(token, '\\u'), lower(token), token), extractAll(toJSONString(name), '\\\\u[0-9A-F]{4}|\\\\.|[^\\\\]+'))), ':', multiIf(number = 0, '0', abs(number) >= 1e21, replaceOne(toString(number), 'e', 'e+'), toString(number))), mapKeys(mapSort(scores)), mapValues(mapSort(scores))), ','), '}')) = {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.scores_column not-equals: full absent binary text
if(empty(scores), '{}', concat('{', arrayStringConcat(arrayMap((name, number) -> concat(arrayStringConcat(arrayMap(token -> multiIf(token = '\\/', '/', token = '\\u2028', '\xE2\x80\xA8', token = '\\u2029', '\xE2\x80\xA9', startsWith(token, '\\u'), lower(token), token), extractAll(toJSONString(name), '\\\\u[0-9A-F]{4}|\\\\.|[^\\\\]+'))), ':', multiIf(number = 0, '0', abs(number) >= 1e21, replaceOne(toString(number), 'e', 'e+'), toString(number))), mapKeys(mapSort(scores)), mapValues(mapSort(scores))), ','), '}')) != {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.scores_column like: 
if(empty(scores), '{}', concat('{', arrayStringConcat(arrayMap((name, number) -> concat(arrayStringConcat(arrayMap(token -> multiIf(token = '\\/', '/', token = '\\u2028', '\xE2\x80\xA8', token = '\\u2029', '\xE2\x80\xA9', startsWith(token, '\\u'), lower(token), token), extractAll(toJSONString(name), '\\\\u[0-9A-F]{4}|\\\\.|[^\\\\]+'))), ':', multiIf(number = 0, '0', abs(number) >= 1e21, replaceOne(toString(number), 'e', 'e+'), toString(number))), mapKeys(mapSort(scores)), mapValues(mapSort(scores))), ','), '}')) LIKE {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.scores_column ilike: 
lowerUTF8(if(empty(scores), '{}', concat('{', arrayStringConcat(arrayMap((name, number) -> concat(arrayStringConcat(arrayMap(token -> multiIf(token = '\\/', '/', token = '\\u2028', '\xE2\x80\xA8', token = '\\u2029', '\xE2\x80\xA9', startsWith(token, '\\u'), lower(token), token), extractAll(toJSONString(name), '\\\\u[0-9A-F]{4}|\\\\.|[^\\\\]+'))), ':', multiIf(number = 0, '0', abs(number) >= 1e21, replaceOne(toString(number), 'e', 'e+'), toString(number))), mapKeys(mapSort(scores)), mapValues(mapSort(scores))), ','), '}'))) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request_response_rmt.scores_column contains: 
lowerUTF8(if(empty(scores), '{}', concat('{', arrayStringConcat(arrayMap((name, number) -> concat(arrayStringConcat(arrayMap(token -> multiIf(token = '\\/', '/', token = '\\u2028', '\xE2\x80\xA8', token = '\\u2029', '\xE2\x80\xA9', startsWith(token, '\\u'), lower(token), token), extractAll(toJSONString(name), '\\\\u[0-9A-F]{4}|\\\\.|[^\\\\]+'))), ':', multiIf(number = 0, '0', abs(number) >= 1e21, replaceOne(toString(number), 'e', 'e+'), toString(number))), mapKeys(mapSort(scores)), mapValues(mapSort(scores))), ','), '}'))) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.scores_column not-contains: full absent binary text
lowerUTF8(if(empty(scores), '{}', concat('{', arrayStringConcat(arrayMap((name, number) -> concat(arrayStringConcat(arrayMap(token -> multiIf(token = '\\/', '/', token = '\\u2028', '\xE2\x80\xA8', token = '\\u2029', '\xE2\x80\xA9', startsWith(token, '\\u'), lower(token), token), extractAll(toJSONString(name), '\\\\u[0-9A-F]{4}|\\\\.|[^\\\\]+'))), ':', multiIf(number = 0, '0', abs(number) >= 1e21, replaceOne(toString(number), 'e', 'e+'), toString(number))), mapKeys(mapSort(scores)), mapValues(mapSort(scores))), ','), '}'))) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.request_body equals: 
(created_at, request_id) IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND (body_group = 0 AND lowerUTF8(concat(substring(request_body, new_spans[1].1, new_spans[1].2), ' ', substring(request_body, new_spans[2].1, new_spans[2].2), ' ', substring(request_body, new_spans[3].1, new_spans[3].2))) LIKE lowerUTF8({p0:String}) AND (request_kind != 'binary' AND request_body = {p1:String}))) UNION ALL (SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND (body_group != 0 AND (toStartOfHour(created_at), body_group) IN (SELECT DISTINCT toStartOfHour(created_at), body_group FROM bodies WHERE org_id = {tenant:UInt128} AND (body_group != 0 AND lowerUTF8(concat(substring(request_body, new_spans[1].1, new_spans[1].2), ' ', substring(request_body, new_spans[2].1, new_spans[2].2), ' ', substring(request_body, new_spans[3].1, new_spans[3].2))) LIKE lowerUTF8({p0:String}))) AND (request_kind != 'binary' AND request_body = {p1:String}))))
-- {"p0":"%word%","p1":"A_word%"}

-- request_response_rmt.request_body not-equals: full absent binary text
(created_at, request_id) NOT IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND (body_group = 0 AND (lowerUTF8(concat(substring(request_body, new_spans[1].1, new_spans[1].2), ' ', substring(request_body, new_spans[2].1, new_spans[2].2), ' ', substring(request_body, new_spans[3].1, new_spans[3].2))) LIKE lowerUTF8({p0:String})) AND (request_kind != 'binary' AND request_body = {p1:String}))) UNION ALL (SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND (body_group != 0 AND (toStartOfHour(created_at), body_group) IN (SELECT DISTINCT toStartOfHour(created_at), body_group FROM bodies WHERE org_id = {tenant:UInt128} AND (body_group != 0 AND (lowerUTF8(concat(substring(request_body, new_spans[1].1, new_spans[1].2), ' ', substring(request_body, new_spans[2].1, new_spans[2].2), ' ', substring(request_body, new_spans[3].1, new_spans[3].2))) LIKE lowerUTF8({p0:String})))) AND (request_kind != 'binary' AND request_body = {p1:String}))))
-- {"p0":"%word%","p1":"A_word%"}

-- request_response_rmt.request_body like: 
(created_at, request_id) IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND (body_group = 0 AND lowerUTF8(concat(substring(request_body, new_spans[1].1, new_spans[1].2), ' ', substring(request_body, new_spans[2].1, new_spans[2].2), ' ', substring(request_body, new_spans[3].1, new_spans[3].2))) LIKE lowerUTF8({p0:String}) AND (request_kind != 'binary' AND request_body LIKE {p1:String}))) UNION ALL (SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND (body_group != 0 AND (toStartOfHour(created_at), body_group) IN (SELECT DISTINCT toStartOfHour(created_at), body_group FROM bodies WHERE org_id = {tenant:UInt128} AND (body_group != 0 AND lowerUTF8(concat(substring(request_body, new_spans[1].1, new_spans[1].2), ' ', substring(request_body, new_spans[2].1, new_spans[2].2), ' ', substring(request_body, new_spans[3].1, new_spans[3].2))) LIKE lowerUTF8({p0:String}))) AND (request_kind != 'binary' AND request_body LIKE {p1:String}))))
-- {"p0":"%word%","p1":"A_word%"}

-- request_response_rmt.request_body ilike: 
(created_at, request_id) IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND (body_group = 0 AND lowerUTF8(concat(substring(request_body, new_spans[1].1, new_spans[1].2), ' ', substring(request_body, new_spans[2].1, new_spans[2].2), ' ', substring(request_body, new_spans[3].1, new_spans[3].2))) LIKE lowerUTF8({p0:String}) AND (request_kind != 'binary' AND lowerUTF8(request_body) LIKE lowerUTF8({p1:String})))) UNION ALL (SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND (body_group != 0 AND (toStartOfHour(created_at), body_group) IN (SELECT DISTINCT toStartOfHour(created_at), body_group FROM bodies WHERE org_id = {tenant:UInt128} AND (body_group != 0 AND lowerUTF8(concat(substring(request_body, new_spans[1].1, new_spans[1].2), ' ', substring(request_body, new_spans[2].1, new_spans[2].2), ' ', substring(request_body, new_spans[3].1, new_spans[3].2))) LIKE lowerUTF8({p0:String}))) AND (request_kind != 'binary' AND lowerUTF8(request_body) LIKE lowerUTF8({p1:String})))))
-- {"p0":"%word%","p1":"A_word%"}

-- request_response_rmt.request_body contains: 
(created_at, request_id) IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND (body_group = 0 AND lowerUTF8(concat(substring(request_body, new_spans[1].1, new_spans[1].2), ' ', substring(request_body, new_spans[2].1, new_spans[2].2), ' ', substring(request_body, new_spans[3].1, new_spans[3].2))) LIKE lowerUTF8({p0:String}) AND (request_kind != 'binary' AND lowerUTF8(request_body) LIKE lowerUTF8({p1:String})))) UNION ALL (SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND (body_group != 0 AND (toStartOfHour(created_at), body_group) IN (SELECT DISTINCT toStartOfHour(created_at), body_group FROM bodies WHERE org_id = {tenant:UInt128} AND (body_group != 0 AND lowerUTF8(concat(substring(request_body, new_spans[1].1, new_spans[1].2), ' ', substring(request_body, new_spans[2].1, new_spans[2].2), ' ', substring(request_body, new_spans[3].1, new_spans[3].2))) LIKE lowerUTF8({p0:String}))) AND (request_kind != 'binary' AND lowerUTF8(request_body) LIKE lowerUTF8({p1:String})))))
-- {"p0":"%word%","p1":"%A\\_word\\%%"}

-- request_response_rmt.request_body not-contains: full absent binary text
(created_at, request_id) NOT IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND (body_group = 0 AND (lowerUTF8(concat(substring(request_body, new_spans[1].1, new_spans[1].2), ' ', substring(request_body, new_spans[2].1, new_spans[2].2), ' ', substring(request_body, new_spans[3].1, new_spans[3].2))) LIKE lowerUTF8({p0:String})) AND (request_kind != 'binary' AND lowerUTF8(request_body) LIKE lowerUTF8({p1:String})))) UNION ALL (SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND (body_group != 0 AND (toStartOfHour(created_at), body_group) IN (SELECT DISTINCT toStartOfHour(created_at), body_group FROM bodies WHERE org_id = {tenant:UInt128} AND (body_group != 0 AND (lowerUTF8(concat(substring(request_body, new_spans[1].1, new_spans[1].2), ' ', substring(request_body, new_spans[2].1, new_spans[2].2), ' ', substring(request_body, new_spans[3].1, new_spans[3].2))) LIKE lowerUTF8({p0:String})))) AND (request_kind != 'binary' AND lowerUTF8(request_body) LIKE lowerUTF8({p1:String})))))
-- {"p0":"%word%","p1":"%A\\_word\\%%"}

-- request_response_rmt.response_body equals: 
(created_at, request_id) IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND (lowerUTF8(concat(response_body, ' ')) LIKE lowerUTF8({p0:String}) AND (response_kind != 'binary' AND response_body = {p1:String}))))
-- {"p0":"%word%","p1":"A_word%"}

-- request_response_rmt.response_body not-equals: full absent binary text
(created_at, request_id) NOT IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((lowerUTF8(concat(response_body, ' ')) LIKE lowerUTF8({p0:String})) AND (response_kind != 'binary' AND response_body = {p1:String}))))
-- {"p0":"%word%","p1":"A_word%"}

-- request_response_rmt.response_body like: 
(created_at, request_id) IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND (lowerUTF8(concat(response_body, ' ')) LIKE lowerUTF8({p0:String}) AND (response_kind != 'binary' AND response_body LIKE {p1:String}))))
-- {"p0":"%word%","p1":"A_word%"}

-- request_response_rmt.response_body ilike: 
(created_at, request_id) IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND (lowerUTF8(concat(response_body, ' ')) LIKE lowerUTF8({p0:String}) AND (response_kind != 'binary' AND lowerUTF8(response_body) LIKE lowerUTF8({p1:String})))))
-- {"p0":"%word%","p1":"A_word%"}

-- request_response_rmt.response_body contains: 
(created_at, request_id) IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND (lowerUTF8(concat(response_body, ' ')) LIKE lowerUTF8({p0:String}) AND (response_kind != 'binary' AND lowerUTF8(response_body) LIKE lowerUTF8({p1:String})))))
-- {"p0":"%word%","p1":"%A\\_word\\%%"}

-- request_response_rmt.response_body not-contains: full absent binary text
(created_at, request_id) NOT IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((lowerUTF8(concat(response_body, ' ')) LIKE lowerUTF8({p0:String})) AND (response_kind != 'binary' AND lowerUTF8(response_body) LIKE lowerUTF8({p1:String})))))
-- {"p0":"%word%","p1":"%A\\_word\\%%"}

-- request_response_rmt.cache_reference_id equals: 
cache_reference_id = {p0:String}
-- {"p0":"a_word%"}

-- request_response_rmt.cache_reference_id not-equals: full absent binary text
cache_reference_id != {p0:String}
-- {"p0":"a_word%"}

-- request_response_rmt.cache_reference_id like: 
cache_reference_id LIKE {p0:String}
-- {"p0":"a_word%"}

-- request_response_rmt.cache_reference_id ilike: 
lowerUTF8(cache_reference_id) LIKE lowerUTF8({p0:String})
-- {"p0":"a_word%"}

-- request_response_rmt.cache_reference_id contains: 
lowerUTF8(cache_reference_id) LIKE lowerUTF8({p0:String})
-- {"p0":"%a\\_word\\%%"}

-- request_response_rmt.cache_reference_id not-contains: full absent binary text
lowerUTF8(cache_reference_id) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%a\\_word\\%%"}

-- request_response_rmt.assets equals: 
if(empty(assets), '[]', arrayStringConcat(arrayMap(token -> multiIf(token = '\\/', '/', token = '\\u2028', '\xE2\x80\xA8', token = '\\u2029', '\xE2\x80\xA9', startsWith(token, '\\u'), lower(token), token), extractAll(toJSONString(assets), '\\\\u[0-9A-F]{4}|\\\\.|[^\\\\]+')))) = {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.assets not-equals: full absent binary text
if(empty(assets), '[]', arrayStringConcat(arrayMap(token -> multiIf(token = '\\/', '/', token = '\\u2028', '\xE2\x80\xA8', token = '\\u2029', '\xE2\x80\xA9', startsWith(token, '\\u'), lower(token), token), extractAll(toJSONString(assets), '\\\\u[0-9A-F]{4}|\\\\.|[^\\\\]+')))) != {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.assets like: 
if(empty(assets), '[]', arrayStringConcat(arrayMap(token -> multiIf(token = '\\/', '/', token = '\\u2028', '\xE2\x80\xA8', token = '\\u2029', '\xE2\x80\xA9', startsWith(token, '\\u'), lower(token), token), extractAll(toJSONString(assets), '\\\\u[0-9A-F]{4}|\\\\.|[^\\\\]+')))) LIKE {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.assets ilike: 
lowerUTF8(if(empty(assets), '[]', arrayStringConcat(arrayMap(token -> multiIf(token = '\\/', '/', token = '\\u2028', '\xE2\x80\xA8', token = '\\u2029', '\xE2\x80\xA9', startsWith(token, '\\u'), lower(token), token), extractAll(toJSONString(assets), '\\\\u[0-9A-F]{4}|\\\\.|[^\\\\]+'))))) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request_response_rmt.assets contains: 
lowerUTF8(if(empty(assets), '[]', arrayStringConcat(arrayMap(token -> multiIf(token = '\\/', '/', token = '\\u2028', '\xE2\x80\xA8', token = '\\u2029', '\xE2\x80\xA9', startsWith(token, '\\u'), lower(token), token), extractAll(toJSONString(assets), '\\\\u[0-9A-F]{4}|\\\\.|[^\\\\]+'))))) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.assets not-contains: full absent binary text
lowerUTF8(if(empty(assets), '[]', arrayStringConcat(arrayMap(token -> multiIf(token = '\\/', '/', token = '\\u2028', '\xE2\x80\xA8', token = '\\u2029', '\xE2\x80\xA9', startsWith(token, '\\u'), lower(token), token), extractAll(toJSONString(assets), '\\\\u[0-9A-F]{4}|\\\\.|[^\\\\]+'))))) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.prompt_id equals: 
prompt_id = {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.prompt_id not-equals: full absent binary text
prompt_id != {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.prompt_id like: 
prompt_id LIKE {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.prompt_id ilike: 
lowerUTF8(prompt_id) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request_response_rmt.prompt_id contains: 
lowerUTF8(prompt_id) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.prompt_id not-contains: full absent binary text
lowerUTF8(prompt_id) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.prompt_version equals: 
prompt_version = {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.prompt_version not-equals: full absent binary text
prompt_version != {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.prompt_version like: 
prompt_version LIKE {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.prompt_version ilike: 
lowerUTF8(prompt_version) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request_response_rmt.prompt_version contains: 
lowerUTF8(prompt_version) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.prompt_version not-contains: full absent binary text
lowerUTF8(prompt_version) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.request_referrer equals: 
referrer = {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.request_referrer not-equals: full absent binary text
referrer != {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.request_referrer like: 
referrer LIKE {p0:String}
-- {"p0":"A_word%"}

-- request_response_rmt.request_referrer ilike: 
lowerUTF8(referrer) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request_response_rmt.request_referrer contains: 
lowerUTF8(referrer) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.request_referrer not-contains: full absent binary text
lowerUTF8(referrer) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_response_rmt.latency equals: 
latency = {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.latency not-equals: full absent binary text
(latency IS NULL OR latency != {p0:Float64})
-- {"p0":"1.5"}

-- request_response_rmt.latency gte: full binary
latency >= {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.latency lte: 
latency <= {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.latency gt: full binary
latency > {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.latency lt: 
latency < {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.cost equals: 
cost = {p0:Decimal(38, 12)}
-- {"p0":"1.500000000000"}

-- request_response_rmt.cost not-equals: full absent binary text
(cost IS NULL OR cost != {p0:Decimal(38, 12)})
-- {"p0":"1.500000000000"}

-- request_response_rmt.cost gte: binary
cost >= {p0:Decimal(38, 12)}
-- {"p0":"1.500000000000"}

-- request_response_rmt.cost lte: full text
cost <= {p0:Decimal(38, 12)}
-- {"p0":"1.500000000000"}

-- request_response_rmt.cost gt: binary
cost > {p0:Decimal(38, 12)}
-- {"p0":"1.500000000000"}

-- request_response_rmt.cost lt: full text
cost < {p0:Decimal(38, 12)}
-- {"p0":"1.500000000000"}

-- request_response_rmt.time_to_first_token equals: 
time_to_first_token = {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.time_to_first_token not-equals: full absent binary text
(time_to_first_token IS NULL OR time_to_first_token != {p0:Float64})
-- {"p0":"1.5"}

-- request_response_rmt.time_to_first_token gte: full
time_to_first_token >= {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.time_to_first_token lte: 
time_to_first_token <= {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.time_to_first_token gt: full
time_to_first_token > {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.time_to_first_token lt: 
time_to_first_token < {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.time_to_first_byte equals: 
time_to_first_byte = {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.time_to_first_byte not-equals: full absent binary text
(time_to_first_byte IS NULL OR time_to_first_byte != {p0:Float64})
-- {"p0":"1.5"}

-- request_response_rmt.time_to_first_byte gte: full
time_to_first_byte >= {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.time_to_first_byte lte: 
time_to_first_byte <= {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.time_to_first_byte gt: full
time_to_first_byte > {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.time_to_first_byte lt: 
time_to_first_byte < {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.status equals: 
status = {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.status not-equals: full absent binary text
status != {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.status gte: full binary text
status >= {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.status lte: absent
status <= {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.status gt: full binary text
status > {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.status lt: absent
status < {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.prompt_tokens equals: 
prompt_tokens = {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.prompt_tokens not-equals: full absent binary text
(prompt_tokens IS NULL OR prompt_tokens != {p0:Float64})
-- {"p0":"1.5"}

-- request_response_rmt.prompt_tokens gte: full
prompt_tokens >= {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.prompt_tokens lte: 
prompt_tokens <= {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.prompt_tokens gt: full
prompt_tokens > {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.prompt_tokens lt: 
prompt_tokens < {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.completion_tokens equals: 
completion_tokens = {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.completion_tokens not-equals: full absent binary text
(completion_tokens IS NULL OR completion_tokens != {p0:Float64})
-- {"p0":"1.5"}

-- request_response_rmt.completion_tokens gte: full
completion_tokens >= {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.completion_tokens lte: 
completion_tokens <= {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.completion_tokens gt: full
completion_tokens > {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.completion_tokens lt: 
completion_tokens < {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.prompt_cache_read_tokens equals: 
prompt_cache_read_tokens = {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.prompt_cache_read_tokens not-equals: full absent binary text
(prompt_cache_read_tokens IS NULL OR prompt_cache_read_tokens != {p0:Float64})
-- {"p0":"1.5"}

-- request_response_rmt.prompt_cache_read_tokens gte: 
prompt_cache_read_tokens >= {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.prompt_cache_read_tokens lte: full
prompt_cache_read_tokens <= {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.prompt_cache_read_tokens gt: 
prompt_cache_read_tokens > {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.prompt_cache_read_tokens lt: full
prompt_cache_read_tokens < {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.prompt_cache_write_tokens equals: 
prompt_cache_write_tokens = {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.prompt_cache_write_tokens not-equals: full absent binary text
(prompt_cache_write_tokens IS NULL OR prompt_cache_write_tokens != {p0:Float64})
-- {"p0":"1.5"}

-- request_response_rmt.prompt_cache_write_tokens gte: full
prompt_cache_write_tokens >= {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.prompt_cache_write_tokens lte: 
prompt_cache_write_tokens <= {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.prompt_cache_write_tokens gt: full
prompt_cache_write_tokens > {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.prompt_cache_write_tokens lt: 
prompt_cache_write_tokens < {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.total_tokens equals: 
total_tokens = {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.total_tokens not-equals: full absent binary text
(total_tokens IS NULL OR total_tokens != {p0:Float64})
-- {"p0":"1.5"}

-- request_response_rmt.total_tokens gte: full
total_tokens >= {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.total_tokens lte: 
total_tokens <= {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.total_tokens gt: full
total_tokens > {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.total_tokens lt: 
total_tokens < {p0:Float64}
-- {"p0":"1.5"}

-- request_response_rmt.request_created_at equals: absent
created_at = fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- request_response_rmt.request_created_at gte: absent binary text
created_at >= fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- request_response_rmt.request_created_at lte: full absent
created_at <= fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- request_response_rmt.request_created_at gt: binary text
created_at > fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- request_response_rmt.request_created_at lt: full
created_at < fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- request_response_rmt.response_created_at equals: 
response_created_at = fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- request_response_rmt.response_created_at gte: 
response_created_at >= fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- request_response_rmt.response_created_at lte: full
response_created_at <= fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- request_response_rmt.response_created_at gt: 
response_created_at > fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- request_response_rmt.response_created_at lt: full
response_created_at < fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- request_response_rmt.failed equals: absent text
failure_kind != '' = {p0:Bool}
-- {"p0":true}

-- request_response_rmt.streamed equals: full
streamed = {p0:Bool}
-- {"p0":true}

-- request_response_rmt.threat equals: full
threat = {p0:Bool}
-- {"p0":true}

-- request_response_rmt.cache_enabled equals: full
cache_enabled = {p0:Bool}
-- {"p0":true}

-- request_response_rmt.cached equals: full
cached = {p0:Bool}
-- {"p0":true}

-- request_response_rmt.svc-score-feedback equals: full
feedback_rating = {p0:Bool}
-- {"p0":true}

-- request_response_rmt.is_passthrough_billing equals: full
is_passthrough_billing = {p0:Bool}
-- {"p0":true}

-- request_response_rmt.property_key equals: 
mapContains(properties, {p0:String})
-- {"p0":"A_word%"}

-- request_response_rmt.properties equals: 
properties[{p0:String}] = {p1:String}
-- {"p0":"name","p1":"A_word%"}

-- request_response_rmt.properties not-equals: full absent binary text
properties[{p0:String}] != {p1:String}
-- {"p0":"name","p1":"A_word%"}

-- request_response_rmt.properties like: 
(mapContains(properties, {p0:String}) AND properties[{p0:String}] LIKE {p1:String})
-- {"p0":"name","p1":"A_word%"}

-- request_response_rmt.properties ilike: 
(mapContains(properties, {p0:String}) AND lowerUTF8(properties[{p0:String}]) LIKE lowerUTF8({p1:String}))
-- {"p0":"name","p1":"A_word%"}

-- request_response_rmt.properties contains: 
(mapContains(properties, {p0:String}) AND lowerUTF8(properties[{p0:String}]) LIKE lowerUTF8({p1:String}))
-- {"p0":"name","p1":"%A\\_word\\%%"}

-- request_response_rmt.properties not-contains: full absent binary text
lowerUTF8(properties[{p0:String}]) NOT LIKE lowerUTF8({p1:String})
-- {"p0":"name","p1":"%A\\_word\\%%"}

-- request_response_rmt.search_properties equals: 
(mapContains(properties, {p0:String}) AND lowerUTF8(properties[{p0:String}]) LIKE lowerUTF8({p1:String}))
-- {"p0":"name","p1":"A_word%"}

-- request_response_rmt.search_properties not-equals: full absent binary text
properties[{p0:String}] != {p1:String}
-- {"p0":"name","p1":"A_word%"}

-- request_response_rmt.search_properties like: 
(mapContains(properties, {p0:String}) AND properties[{p0:String}] LIKE {p1:String})
-- {"p0":"name","p1":"A_word%"}

-- request_response_rmt.search_properties ilike: 
(mapContains(properties, {p0:String}) AND lowerUTF8(properties[{p0:String}]) LIKE lowerUTF8({p1:String}))
-- {"p0":"name","p1":"A_word%"}

-- request_response_rmt.search_properties contains: 
(mapContains(properties, {p0:String}) AND lowerUTF8(properties[{p0:String}]) LIKE lowerUTF8({p1:String}))
-- {"p0":"name","p1":"%A\\_word\\%%"}

-- request_response_rmt.search_properties not-contains: full absent binary text
lowerUTF8(properties[{p0:String}]) NOT LIKE lowerUTF8({p1:String})
-- {"p0":"name","p1":"%A\\_word\\%%"}

-- request_response_rmt.scores equals: 
(mapContains(scores, {p0:String}) AND scores[{p0:String}] = {p1:Float64})
-- {"p0":"name","p1":"1.5"}

-- request_response_rmt.scores not-equals: 
(mapContains(scores, {p0:String}) AND scores[{p0:String}] != {p1:Float64})
-- {"p0":"name","p1":"1.5"}

-- request_response_rmt.scores gte: 
(mapContains(scores, {p0:String}) AND scores[{p0:String}] >= {p1:Float64})
-- {"p0":"name","p1":"1.5"}

-- request_response_rmt.scores lte: 
(mapContains(scores, {p0:String}) AND scores[{p0:String}] <= {p1:Float64})
-- {"p0":"name","p1":"1.5"}

-- request_response_rmt.scores gt: 
(mapContains(scores, {p0:String}) AND scores[{p0:String}] > {p1:Float64})
-- {"p0":"name","p1":"1.5"}

-- request_response_rmt.scores lt: 
(mapContains(scores, {p0:String}) AND scores[{p0:String}] < {p1:Float64})
-- {"p0":"name","p1":"1.5"}

-- sessions_request_response_rmt.session_session_id equals: 
session_id = {p0:String}
-- {"p0":"A_word%"}

-- sessions_request_response_rmt.session_session_id not-equals: full absent binary text
session_id != {p0:String}
-- {"p0":"A_word%"}

-- sessions_request_response_rmt.session_session_id like: 
session_id LIKE {p0:String}
-- {"p0":"A_word%"}

-- sessions_request_response_rmt.session_session_id ilike: 
lowerUTF8(session_id) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- sessions_request_response_rmt.session_session_id contains: 
lowerUTF8(session_id) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- sessions_request_response_rmt.session_session_id not-contains: full absent binary text
lowerUTF8(session_id) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- sessions_request_response_rmt.session_session_name equals: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING argMaxIf(session_name, bitShiftLeft(toInt256(toUnixTimestamp64Milli(created_at)), 128) + request_id, session_name != '') = {p0:String})
-- {"p0":"A_word%"}

-- sessions_request_response_rmt.session_session_name not-equals: full absent binary text
(session_id = '' OR session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING argMaxIf(session_name, bitShiftLeft(toInt256(toUnixTimestamp64Milli(created_at)), 128) + request_id, session_name != '') != {p0:String}))
-- {"p0":"A_word%"}

-- sessions_request_response_rmt.session_session_name like: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING argMaxIf(session_name, bitShiftLeft(toInt256(toUnixTimestamp64Milli(created_at)), 128) + request_id, session_name != '') LIKE {p0:String})
-- {"p0":"A_word%"}

-- sessions_request_response_rmt.session_session_name ilike: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING lowerUTF8(argMaxIf(session_name, bitShiftLeft(toInt256(toUnixTimestamp64Milli(created_at)), 128) + request_id, session_name != '')) LIKE lowerUTF8({p0:String}))
-- {"p0":"A_word%"}

-- sessions_request_response_rmt.session_session_name contains: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING lowerUTF8(argMaxIf(session_name, bitShiftLeft(toInt256(toUnixTimestamp64Milli(created_at)), 128) + request_id, session_name != '')) LIKE lowerUTF8({p0:String}))
-- {"p0":"%A\\_word\\%%"}

-- sessions_request_response_rmt.session_session_name not-contains: full absent binary text
(session_id = '' OR session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING lowerUTF8(argMaxIf(session_name, bitShiftLeft(toInt256(toUnixTimestamp64Milli(created_at)), 128) + request_id, session_name != '')) NOT LIKE lowerUTF8({p0:String})))
-- {"p0":"%A\\_word\\%%"}

-- sessions_request_response_rmt.session_tag equals: 
session_id IN (SELECT session_id FROM session_tags WHERE org_id = {tenant:UInt128} GROUP BY session_id HAVING argMax(tag, number) = {p0:String})
-- {"p0":"A_word%"}

-- sessions_request_response_rmt.session_tag not-equals: full absent binary text
session_id NOT IN (SELECT session_id FROM session_tags WHERE org_id = {tenant:UInt128} GROUP BY session_id HAVING NOT (argMax(tag, number) != {p0:String}))
-- {"p0":"A_word%"}

-- sessions_request_response_rmt.session_tag like: 
session_id IN (SELECT session_id FROM session_tags WHERE org_id = {tenant:UInt128} GROUP BY session_id HAVING argMax(tag, number) LIKE {p0:String})
-- {"p0":"A_word%"}

-- sessions_request_response_rmt.session_tag ilike: 
session_id IN (SELECT session_id FROM session_tags WHERE org_id = {tenant:UInt128} GROUP BY session_id HAVING lowerUTF8(argMax(tag, number)) LIKE lowerUTF8({p0:String}))
-- {"p0":"A_word%"}

-- sessions_request_response_rmt.session_tag contains: 
session_id IN (SELECT session_id FROM session_tags WHERE org_id = {tenant:UInt128} GROUP BY session_id HAVING lowerUTF8(argMax(tag, number)) LIKE lowerUTF8({p0:String}))
-- {"p0":"%A\\_word\\%%"}

-- sessions_request_response_rmt.session_tag not-contains: full absent binary text
session_id NOT IN (SELECT session_id FROM session_tags WHERE org_id = {tenant:UInt128} GROUP BY session_id HAVING NOT (lowerUTF8(argMax(tag, number)) NOT LIKE lowerUTF8({p0:String})))
-- {"p0":"%A\\_word\\%%"}

-- sessions_request_response_rmt.session_total_cost equals: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(cost), 0) = {p0:Decimal(38, 12)})
-- {"p0":"1.500000000000"}

-- sessions_request_response_rmt.session_total_cost not-equals: full absent binary text
(session_id = '' OR session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING (ifNull(sum(cost), 0) IS NULL OR ifNull(sum(cost), 0) != {p0:Decimal(38, 12)})))
-- {"p0":"1.500000000000"}

-- sessions_request_response_rmt.session_total_cost gte: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(cost), 0) >= {p0:Decimal(38, 12)})
-- {"p0":"1.500000000000"}

-- sessions_request_response_rmt.session_total_cost lte: full text
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(cost), 0) <= {p0:Decimal(38, 12)})
-- {"p0":"1.500000000000"}

-- sessions_request_response_rmt.session_total_cost gt: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(cost), 0) > {p0:Decimal(38, 12)})
-- {"p0":"1.500000000000"}

-- sessions_request_response_rmt.session_total_cost lt: full text
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(cost), 0) < {p0:Decimal(38, 12)})
-- {"p0":"1.500000000000"}

-- sessions_request_response_rmt.session_total_tokens equals: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(toUInt128(total_tokens)), 0) = {p0:Float64})
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_total_tokens not-equals: full absent binary text
(session_id = '' OR session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(toUInt128(total_tokens)), 0) != {p0:Float64}))
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_total_tokens gte: full text
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(toUInt128(total_tokens)), 0) >= {p0:Float64})
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_total_tokens lte: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(toUInt128(total_tokens)), 0) <= {p0:Float64})
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_total_tokens gt: full text
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(toUInt128(total_tokens)), 0) > {p0:Float64})
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_total_tokens lt: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(toUInt128(total_tokens)), 0) < {p0:Float64})
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_prompt_tokens equals: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(toUInt128(prompt_tokens)), 0) = {p0:Float64})
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_prompt_tokens not-equals: full absent binary text
(session_id = '' OR session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(toUInt128(prompt_tokens)), 0) != {p0:Float64}))
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_prompt_tokens gte: full text
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(toUInt128(prompt_tokens)), 0) >= {p0:Float64})
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_prompt_tokens lte: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(toUInt128(prompt_tokens)), 0) <= {p0:Float64})
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_prompt_tokens gt: full text
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(toUInt128(prompt_tokens)), 0) > {p0:Float64})
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_prompt_tokens lt: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(toUInt128(prompt_tokens)), 0) < {p0:Float64})
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_completion_tokens equals: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(toUInt128(completion_tokens)), 0) = {p0:Float64})
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_completion_tokens not-equals: full absent binary text
(session_id = '' OR session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(toUInt128(completion_tokens)), 0) != {p0:Float64}))
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_completion_tokens gte: full text
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(toUInt128(completion_tokens)), 0) >= {p0:Float64})
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_completion_tokens lte: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(toUInt128(completion_tokens)), 0) <= {p0:Float64})
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_completion_tokens gt: full text
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(toUInt128(completion_tokens)), 0) > {p0:Float64})
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_completion_tokens lt: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING ifNull(sum(toUInt128(completion_tokens)), 0) < {p0:Float64})
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_total_requests equals: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING count() = {p0:Float64})
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_total_requests not-equals: full absent binary text
(session_id = '' OR session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING count() != {p0:Float64}))
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_total_requests gte: full text
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING count() >= {p0:Float64})
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_total_requests lte: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING count() <= {p0:Float64})
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_total_requests gt: full text
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING count() > {p0:Float64})
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_total_requests lt: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING count() < {p0:Float64})
-- {"p0":"1.5"}

-- sessions_request_response_rmt.session_created_at equals: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING min(created_at) = fromUnixTimestamp64Milli({p0:Int64}, 'UTC'))
-- {"p0":"1769904000000"}

-- sessions_request_response_rmt.session_created_at gte: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING min(created_at) >= fromUnixTimestamp64Milli({p0:Int64}, 'UTC'))
-- {"p0":"1769904000000"}

-- sessions_request_response_rmt.session_created_at lte: full text
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING min(created_at) <= fromUnixTimestamp64Milli({p0:Int64}, 'UTC'))
-- {"p0":"1769904000000"}

-- sessions_request_response_rmt.session_created_at gt: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING min(created_at) > fromUnixTimestamp64Milli({p0:Int64}, 'UTC'))
-- {"p0":"1769904000000"}

-- sessions_request_response_rmt.session_created_at lt: full text
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING min(created_at) < fromUnixTimestamp64Milli({p0:Int64}, 'UTC'))
-- {"p0":"1769904000000"}

-- sessions_request_response_rmt.session_latest_request_created_at equals: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING max(created_at) = fromUnixTimestamp64Milli({p0:Int64}, 'UTC'))
-- {"p0":"1769904000000"}

-- sessions_request_response_rmt.session_latest_request_created_at gte: full text
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING max(created_at) >= fromUnixTimestamp64Milli({p0:Int64}, 'UTC'))
-- {"p0":"1769904000000"}

-- sessions_request_response_rmt.session_latest_request_created_at lte: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING max(created_at) <= fromUnixTimestamp64Milli({p0:Int64}, 'UTC'))
-- {"p0":"1769904000000"}

-- sessions_request_response_rmt.session_latest_request_created_at gt: full text
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING max(created_at) > fromUnixTimestamp64Milli({p0:Int64}, 'UTC'))
-- {"p0":"1769904000000"}

-- sessions_request_response_rmt.session_latest_request_created_at lt: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING max(created_at) < fromUnixTimestamp64Milli({p0:Int64}, 'UTC'))
-- {"p0":"1769904000000"}

-- session.properties equals: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING argMaxIf(properties[{p0:String}], bitShiftLeft(toInt256(toUnixTimestamp64Milli(created_at)), 128) + request_id, mapContains(properties, {p0:String})) = {p1:String})
-- {"p0":"name","p1":"A_word%"}

-- session.properties not-equals: full absent binary text
(session_id = '' OR session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING argMaxIf(properties[{p0:String}], bitShiftLeft(toInt256(toUnixTimestamp64Milli(created_at)), 128) + request_id, mapContains(properties, {p0:String})) != {p1:String}))
-- {"p0":"name","p1":"A_word%"}

-- session.properties like: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING argMaxIf(properties[{p0:String}], bitShiftLeft(toInt256(toUnixTimestamp64Milli(created_at)), 128) + request_id, mapContains(properties, {p0:String})) LIKE {p1:String})
-- {"p0":"name","p1":"A_word%"}

-- session.properties ilike: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING lowerUTF8(argMaxIf(properties[{p0:String}], bitShiftLeft(toInt256(toUnixTimestamp64Milli(created_at)), 128) + request_id, mapContains(properties, {p0:String}))) LIKE lowerUTF8({p1:String}))
-- {"p0":"name","p1":"A_word%"}

-- session.properties contains: 
session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING lowerUTF8(argMaxIf(properties[{p0:String}], bitShiftLeft(toInt256(toUnixTimestamp64Milli(created_at)), 128) + request_id, mapContains(properties, {p0:String}))) LIKE lowerUTF8({p1:String}))
-- {"p0":"name","p1":"%A\\_word\\%%"}

-- session.properties not-contains: full absent binary text
(session_id = '' OR session_id IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND (session_id != '') GROUP BY session_id HAVING lowerUTF8(argMaxIf(properties[{p0:String}], bitShiftLeft(toInt256(toUnixTimestamp64Milli(created_at)), 128) + request_id, mapContains(properties, {p0:String}))) NOT LIKE lowerUTF8({p1:String})))
-- {"p0":"name","p1":"%A\\_word\\%%"}

-- request.prompt equals: 
(created_at, request_id) IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((true AND if(empty(prompt_spans), prompt_text, arrayStringConcat(arrayMap(span -> JSONExtractString(concat('"', substring(concat(request_body, request_rest), span.1, span.2), '"')), prompt_spans), char(10))) = {p0:String}))))
-- {"p0":"A_word%"}

-- request.prompt not-equals: full absent binary text
(created_at, request_id) NOT IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((true AND if(empty(prompt_spans), prompt_text, arrayStringConcat(arrayMap(span -> JSONExtractString(concat('"', substring(concat(request_body, request_rest), span.1, span.2), '"')), prompt_spans), char(10))) = {p0:String}))))
-- {"p0":"A_word%"}

-- request.prompt like: 
(created_at, request_id) IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((true AND if(empty(prompt_spans), prompt_text, arrayStringConcat(arrayMap(span -> JSONExtractString(concat('"', substring(concat(request_body, request_rest), span.1, span.2), '"')), prompt_spans), char(10))) LIKE {p0:String}))))
-- {"p0":"A_word%"}

-- request.prompt ilike: 
(created_at, request_id) IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((true AND lowerUTF8(if(empty(prompt_spans), prompt_text, arrayStringConcat(arrayMap(span -> JSONExtractString(concat('"', substring(concat(request_body, request_rest), span.1, span.2), '"')), prompt_spans), char(10)))) LIKE lowerUTF8({p0:String})))))
-- {"p0":"A_word%"}

-- request.prompt contains: 
(created_at, request_id) IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((true AND lowerUTF8(if(empty(prompt_spans), prompt_text, arrayStringConcat(arrayMap(span -> JSONExtractString(concat('"', substring(concat(request_body, request_rest), span.1, span.2), '"')), prompt_spans), char(10)))) LIKE lowerUTF8({p0:String})))))
-- {"p0":"%A\\_word\\%%"}

-- request.prompt not-contains: full absent binary text
(created_at, request_id) NOT IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((true AND lowerUTF8(if(empty(prompt_spans), prompt_text, arrayStringConcat(arrayMap(span -> JSONExtractString(concat('"', substring(concat(request_body, request_rest), span.1, span.2), '"')), prompt_spans), char(10)))) LIKE lowerUTF8({p0:String})))))
-- {"p0":"%A\\_word\\%%"}

-- request.user_id equals: 
user_id = {p0:String}
-- {"p0":"A_word%"}

-- request.user_id not-equals: full absent binary text
user_id != {p0:String}
-- {"p0":"A_word%"}

-- request.user_id like: 
user_id LIKE {p0:String}
-- {"p0":"A_word%"}

-- request.user_id ilike: 
lowerUTF8(user_id) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request.user_id contains: 
lowerUTF8(user_id) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request.user_id not-contains: full absent binary text
lowerUTF8(user_id) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request.auth_hash equals: 
key_hash = {p0:String}
-- {"p0":"A_word%"}

-- request.auth_hash not-equals: full absent binary text
key_hash != {p0:String}
-- {"p0":"A_word%"}

-- request.auth_hash like: 
key_hash LIKE {p0:String}
-- {"p0":"A_word%"}

-- request.auth_hash ilike: 
lowerUTF8(key_hash) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request.auth_hash contains: 
lowerUTF8(key_hash) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request.auth_hash not-contains: full absent binary text
lowerUTF8(key_hash) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request.org_id equals: 
org_text = {p0:String}
-- {"p0":"a_word%"}

-- request.org_id not-equals: full absent binary text
org_text != {p0:String}
-- {"p0":"a_word%"}

-- request.org_id like: 
org_text LIKE {p0:String}
-- {"p0":"a_word%"}

-- request.org_id ilike: 
lowerUTF8(org_text) LIKE lowerUTF8({p0:String})
-- {"p0":"a_word%"}

-- request.org_id contains: 
lowerUTF8(org_text) LIKE lowerUTF8({p0:String})
-- {"p0":"%a\\_word\\%%"}

-- request.org_id not-contains: full absent binary text
lowerUTF8(org_text) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%a\\_word\\%%"}

-- request.id equals: 
id_text = {p0:String}
-- {"p0":"a_word%"}

-- request.id not-equals: full absent binary text
id_text != {p0:String}
-- {"p0":"a_word%"}

-- request.id like: 
id_text LIKE {p0:String}
-- {"p0":"a_word%"}

-- request.id ilike: 
lowerUTF8(id_text) LIKE lowerUTF8({p0:String})
-- {"p0":"a_word%"}

-- request.id contains: 
lowerUTF8(id_text) LIKE lowerUTF8({p0:String})
-- {"p0":"%a\\_word\\%%"}

-- request.id not-contains: full absent binary text
lowerUTF8(id_text) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%a\\_word\\%%"}

-- request.node_id equals: 
node_id = {p0:String}
-- {"p0":"A_word%"}

-- request.node_id not-equals: full absent binary text
node_id != {p0:String}
-- {"p0":"A_word%"}

-- request.node_id like: 
node_id LIKE {p0:String}
-- {"p0":"A_word%"}

-- request.node_id ilike: 
lowerUTF8(node_id) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request.node_id contains: 
lowerUTF8(node_id) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request.node_id not-contains: full absent binary text
lowerUTF8(node_id) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request.model equals: 
request_model = {p0:String}
-- {"p0":"A_word%"}

-- request.model not-equals: full absent binary text
request_model != {p0:String}
-- {"p0":"A_word%"}

-- request.model like: 
request_model LIKE {p0:String}
-- {"p0":"A_word%"}

-- request.model ilike: 
lowerUTF8(request_model) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request.model contains: 
lowerUTF8(request_model) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request.model not-contains: full absent binary text
lowerUTF8(request_model) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request.modelOverride equals: 
model_override = {p0:String}
-- {"p0":"A_word%"}

-- request.modelOverride not-equals: full absent binary text
model_override != {p0:String}
-- {"p0":"A_word%"}

-- request.modelOverride like: 
model_override LIKE {p0:String}
-- {"p0":"A_word%"}

-- request.modelOverride ilike: 
lowerUTF8(model_override) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request.modelOverride contains: 
lowerUTF8(model_override) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request.modelOverride not-contains: full absent binary text
lowerUTF8(model_override) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request.path equals: 
path = {p0:String}
-- {"p0":"A_word%"}

-- request.path not-equals: full absent binary text
path != {p0:String}
-- {"p0":"A_word%"}

-- request.path like: 
path LIKE {p0:String}
-- {"p0":"A_word%"}

-- request.path ilike: 
lowerUTF8(path) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request.path contains: 
lowerUTF8(path) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request.path not-contains: full absent binary text
lowerUTF8(path) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request.country_code equals: 
country_code = {p0:String}
-- {"p0":"A_word%"}

-- request.country_code not-equals: full absent binary text
country_code != {p0:String}
-- {"p0":"A_word%"}

-- request.country_code like: 
country_code LIKE {p0:String}
-- {"p0":"A_word%"}

-- request.country_code ilike: 
lowerUTF8(country_code) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request.country_code contains: 
lowerUTF8(country_code) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request.country_code not-contains: full absent binary text
lowerUTF8(country_code) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request.prompt_id equals: 
prompt_id = {p0:String}
-- {"p0":"A_word%"}

-- request.prompt_id not-equals: full absent binary text
prompt_id != {p0:String}
-- {"p0":"A_word%"}

-- request.prompt_id like: 
prompt_id LIKE {p0:String}
-- {"p0":"A_word%"}

-- request.prompt_id ilike: 
lowerUTF8(prompt_id) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request.prompt_id contains: 
lowerUTF8(prompt_id) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request.prompt_id not-contains: full absent binary text
lowerUTF8(prompt_id) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request.created_at equals: absent
created_at = fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- request.created_at gte: absent binary text
created_at >= fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- request.created_at lte: full absent
created_at <= fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- request.created_at gt: binary text
created_at > fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- request.created_at lt: full
created_at < fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- response.body_tokens equals: 
total_tokens = {p0:Float64}
-- {"p0":"1.5"}

-- response.body_tokens not-equals: full absent binary text
(total_tokens IS NULL OR total_tokens != {p0:Float64})
-- {"p0":"1.5"}

-- response.body_tokens gte: full
total_tokens >= {p0:Float64}
-- {"p0":"1.5"}

-- response.body_tokens lte: 
total_tokens <= {p0:Float64}
-- {"p0":"1.5"}

-- response.body_tokens gt: full
total_tokens > {p0:Float64}
-- {"p0":"1.5"}

-- response.body_tokens lt: 
total_tokens < {p0:Float64}
-- {"p0":"1.5"}

-- response.status equals: 
status = {p0:Float64}
-- {"p0":"1.5"}

-- response.status not-equals: full absent binary text
status != {p0:Float64}
-- {"p0":"1.5"}

-- response.status gte: full binary text
status >= {p0:Float64}
-- {"p0":"1.5"}

-- response.status lte: absent
status <= {p0:Float64}
-- {"p0":"1.5"}

-- response.status gt: full binary text
status > {p0:Float64}
-- {"p0":"1.5"}

-- response.status lt: absent
status < {p0:Float64}
-- {"p0":"1.5"}

-- response.body_model equals: 
response_model = {p0:String}
-- {"p0":"A_word%"}

-- response.body_model not-equals: full absent binary text
response_model != {p0:String}
-- {"p0":"A_word%"}

-- response.body_model like: 
response_model LIKE {p0:String}
-- {"p0":"A_word%"}

-- response.body_model ilike: 
lowerUTF8(response_model) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- response.body_model contains: 
lowerUTF8(response_model) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- response.body_model not-contains: full absent binary text
lowerUTF8(response_model) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- response.body_completion equals: 
(created_at, request_id) IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((true AND if(empty(completion_spans), completion_text, arrayStringConcat(arrayMap(span -> JSONExtractString(concat('"', substring(concat(response_body, response_rest), span.1, span.2), '"')), completion_spans), char(10))) = {p0:String}))))
-- {"p0":"A_word%"}

-- response.body_completion not-equals: full absent binary text
(created_at, request_id) NOT IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((true AND if(empty(completion_spans), completion_text, arrayStringConcat(arrayMap(span -> JSONExtractString(concat('"', substring(concat(response_body, response_rest), span.1, span.2), '"')), completion_spans), char(10))) = {p0:String}))))
-- {"p0":"A_word%"}

-- response.body_completion like: 
(created_at, request_id) IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((true AND if(empty(completion_spans), completion_text, arrayStringConcat(arrayMap(span -> JSONExtractString(concat('"', substring(concat(response_body, response_rest), span.1, span.2), '"')), completion_spans), char(10))) LIKE {p0:String}))))
-- {"p0":"A_word%"}

-- response.body_completion ilike: 
(created_at, request_id) IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((true AND lowerUTF8(if(empty(completion_spans), completion_text, arrayStringConcat(arrayMap(span -> JSONExtractString(concat('"', substring(concat(response_body, response_rest), span.1, span.2), '"')), completion_spans), char(10)))) LIKE lowerUTF8({p0:String})))))
-- {"p0":"A_word%"}

-- response.body_completion contains: 
(created_at, request_id) IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((true AND lowerUTF8(if(empty(completion_spans), completion_text, arrayStringConcat(arrayMap(span -> JSONExtractString(concat('"', substring(concat(response_body, response_rest), span.1, span.2), '"')), completion_spans), char(10)))) LIKE lowerUTF8({p0:String})))))
-- {"p0":"%A\\_word\\%%"}

-- response.body_completion not-contains: full absent binary text
(created_at, request_id) NOT IN ((SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((true AND lowerUTF8(if(empty(completion_spans), completion_text, arrayStringConcat(arrayMap(span -> JSONExtractString(concat('"', substring(concat(response_body, response_rest), span.1, span.2), '"')), completion_spans), char(10)))) LIKE lowerUTF8({p0:String})))))
-- {"p0":"%A\\_word\\%%"}

-- response.model equals: 
response_model = {p0:String}
-- {"p0":"A_word%"}

-- response.model not-equals: full absent binary text
response_model != {p0:String}
-- {"p0":"A_word%"}

-- response.model like: 
response_model LIKE {p0:String}
-- {"p0":"A_word%"}

-- response.model ilike: 
lowerUTF8(response_model) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- response.model contains: 
lowerUTF8(response_model) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- response.model not-contains: full absent binary text
lowerUTF8(response_model) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- feedback.id equals: 
feedback_number = {p0:Float64}
-- {"p0":"1.5"}

-- feedback.id not-equals: full absent binary text
(feedback_number IS NULL OR feedback_number != {p0:Float64})
-- {"p0":"1.5"}

-- feedback.id gte: full
feedback_number >= {p0:Float64}
-- {"p0":"1.5"}

-- feedback.id lte: 
feedback_number <= {p0:Float64}
-- {"p0":"1.5"}

-- feedback.id gt: full
feedback_number > {p0:Float64}
-- {"p0":"1.5"}

-- feedback.id lt: 
feedback_number < {p0:Float64}
-- {"p0":"1.5"}

-- feedback.created_at equals: full
feedback_created_at = fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- feedback.created_at gte: full
feedback_created_at >= fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- feedback.created_at lte: full
feedback_created_at <= fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- feedback.created_at gt: 
feedback_created_at > fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- feedback.created_at lt: 
feedback_created_at < fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- feedback.rating equals: full
feedback_rating = {p0:Bool}
-- {"p0":true}

-- feedback.response_id equals: 
if(isNull(feedback_rating), '', response_id) = {p0:String}
-- {"p0":"A_word%"}

-- feedback.response_id not-equals: full absent binary text
if(isNull(feedback_rating), '', response_id) != {p0:String}
-- {"p0":"A_word%"}

-- feedback.response_id like: 
if(isNull(feedback_rating), '', response_id) LIKE {p0:String}
-- {"p0":"A_word%"}

-- feedback.response_id ilike: 
lowerUTF8(if(isNull(feedback_rating), '', response_id)) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- feedback.response_id contains: 
lowerUTF8(if(isNull(feedback_rating), '', response_id)) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- feedback.response_id not-contains: full absent binary text
lowerUTF8(if(isNull(feedback_rating), '', response_id)) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- values equals: 
inputs[{p0:String}] = {p1:String}
-- {"p0":"name","p1":"A_word%"}

-- values not-equals: full absent binary text
inputs[{p0:String}] != {p1:String}
-- {"p0":"name","p1":"A_word%"}

-- values like: 
(mapContains(inputs, {p0:String}) AND inputs[{p0:String}] LIKE {p1:String})
-- {"p0":"name","p1":"A_word%"}

-- values ilike: 
(mapContains(inputs, {p0:String}) AND lowerUTF8(inputs[{p0:String}]) LIKE lowerUTF8({p1:String}))
-- {"p0":"name","p1":"A_word%"}

-- values contains: 
(mapContains(inputs, {p0:String}) AND lowerUTF8(inputs[{p0:String}]) LIKE lowerUTF8({p1:String}))
-- {"p0":"name","p1":"%A\\_word\\%%"}

-- values not-contains: full absent binary text
lowerUTF8(inputs[{p0:String}]) NOT LIKE lowerUTF8({p1:String})
-- {"p0":"name","p1":"%A\\_word\\%%"}
