-- country_code equals: 
country_code = {p0:String}
-- {"p0":"A_word%"}

-- country_code not-equals: full absent binary text
country_code != {p0:String}
-- {"p0":"A_word%"}

-- country_code like: 
country_code LIKE {p0:String}
-- {"p0":"A_word%"}

-- country_code ilike: 
lowerUTF8(country_code) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- country_code contains: 
lowerUTF8(country_code) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- country_code not-contains: full absent binary text
lowerUTF8(country_code) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- provider equals: 
provider = {p0:String}
-- {"p0":"A_word%"}

-- provider not-equals: full absent binary text
provider != {p0:String}
-- {"p0":"A_word%"}

-- provider like: 
provider LIKE {p0:String}
-- {"p0":"A_word%"}

-- provider ilike: 
lowerUTF8(provider) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- provider contains: 
lowerUTF8(provider) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- provider not-contains: full absent binary text
lowerUTF8(provider) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- model equals: 
model = {p0:String}
-- {"p0":"A_word%"}

-- model not-equals: full absent binary text
model != {p0:String}
-- {"p0":"A_word%"}

-- model like: 
model LIKE {p0:String}
-- {"p0":"A_word%"}

-- model ilike: 
lowerUTF8(model) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- model contains: 
lowerUTF8(model) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- model not-contains: full absent binary text
lowerUTF8(model) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- user_id equals: 
user_id = {p0:String}
-- {"p0":"A_word%"}

-- user_id not-equals: full absent binary text
user_id != {p0:String}
-- {"p0":"A_word%"}

-- user_id like: 
user_id LIKE {p0:String}
-- {"p0":"A_word%"}

-- user_id ilike: 
lowerUTF8(user_id) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- user_id contains: 
lowerUTF8(user_id) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- user_id not-contains: full absent binary text
lowerUTF8(user_id) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- organization_id equals: 
org_text = {p0:String}
-- {"p0":"a_word%"}

-- organization_id not-equals: full absent binary text
org_text != {p0:String}
-- {"p0":"a_word%"}

-- organization_id like: 
org_text LIKE {p0:String}
-- {"p0":"a_word%"}

-- organization_id ilike: 
lowerUTF8(org_text) LIKE lowerUTF8({p0:String})
-- {"p0":"a_word%"}

-- organization_id contains: 
lowerUTF8(org_text) LIKE lowerUTF8({p0:String})
-- {"p0":"%a\\_word\\%%"}

-- organization_id not-contains: full absent binary text
lowerUTF8(org_text) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%a\\_word\\%%"}

-- node_id equals: 
node_id = {p0:String}
-- {"p0":"A_word%"}

-- node_id not-equals: full absent binary text
node_id != {p0:String}
-- {"p0":"A_word%"}

-- node_id like: 
node_id LIKE {p0:String}
-- {"p0":"A_word%"}

-- node_id ilike: 
lowerUTF8(node_id) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- node_id contains: 
lowerUTF8(node_id) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- node_id not-contains: full absent binary text
lowerUTF8(node_id) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- job_id equals: 
job_id = {p0:String}
-- {"p0":"A_word%"}

-- job_id not-equals: full absent binary text
job_id != {p0:String}
-- {"p0":"A_word%"}

-- job_id like: 
job_id LIKE {p0:String}
-- {"p0":"A_word%"}

-- job_id ilike: 
lowerUTF8(job_id) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- job_id contains: 
lowerUTF8(job_id) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- job_id not-contains: full absent binary text
lowerUTF8(job_id) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_id equals: 
id_text = {p0:String}
-- {"p0":"a_word%"}

-- request_id not-equals: full absent binary text
id_text != {p0:String}
-- {"p0":"a_word%"}

-- request_id like: 
id_text LIKE {p0:String}
-- {"p0":"a_word%"}

-- request_id ilike: 
lowerUTF8(id_text) LIKE lowerUTF8({p0:String})
-- {"p0":"a_word%"}

-- request_id contains: 
lowerUTF8(id_text) LIKE lowerUTF8({p0:String})
-- {"p0":"%a\\_word\\%%"}

-- request_id not-contains: full absent binary text
lowerUTF8(id_text) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%a\\_word\\%%"}

-- target_url equals: 
target_url = {p0:String}
-- {"p0":"A_word%"}

-- target_url not-equals: full absent binary text
target_url != {p0:String}
-- {"p0":"A_word%"}

-- target_url like: 
target_url LIKE {p0:String}
-- {"p0":"A_word%"}

-- target_url ilike: 
lowerUTF8(target_url) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- target_url contains: 
lowerUTF8(target_url) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- target_url not-contains: full absent binary text
lowerUTF8(target_url) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- scores_column equals: 
if(empty(scores), '', replaceAll(toJSONString(scores), '\\/', '/')) = {p0:String}
-- {"p0":"A_word%"}

-- scores_column not-equals: full absent binary text
if(empty(scores), '', replaceAll(toJSONString(scores), '\\/', '/')) != {p0:String}
-- {"p0":"A_word%"}

-- scores_column like: 
if(empty(scores), '', replaceAll(toJSONString(scores), '\\/', '/')) LIKE {p0:String}
-- {"p0":"A_word%"}

-- scores_column ilike: 
lowerUTF8(if(empty(scores), '', replaceAll(toJSONString(scores), '\\/', '/'))) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- scores_column contains: 
lowerUTF8(if(empty(scores), '', replaceAll(toJSONString(scores), '\\/', '/'))) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- scores_column not-contains: full absent binary text
lowerUTF8(if(empty(scores), '', replaceAll(toJSONString(scores), '\\/', '/'))) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_body equals: 
(created_at, request_id) IN (SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((request_kind != 'binary' AND request_body = {p0:String} AND lowerUTF8(request_body) = lowerUTF8({p0:String}))))
-- {"p0":"A_word%"}

-- request_body not-equals: full absent binary text
(created_at, request_id) NOT IN (SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((request_kind != 'binary' AND request_body = {p0:String} AND lowerUTF8(request_body) = lowerUTF8({p0:String}))))
-- {"p0":"A_word%"}

-- request_body like: 
(created_at, request_id) IN (SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((request_kind != 'binary' AND lowerUTF8(request_body) LIKE lowerUTF8({p0:String}) AND request_body LIKE {p1:String})))
-- {"p0":"%word%","p1":"A_word%"}

-- request_body ilike: 
(created_at, request_id) IN (SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((request_kind != 'binary' AND lowerUTF8(request_body) LIKE lowerUTF8({p0:String}) AND lowerUTF8(request_body) LIKE lowerUTF8({p1:String}))))
-- {"p0":"%word%","p1":"A_word%"}

-- request_body contains: 
(created_at, request_id) IN (SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((request_kind != 'binary' AND lowerUTF8(request_body) LIKE lowerUTF8({p0:String}) AND lowerUTF8(request_body) LIKE lowerUTF8({p1:String}))))
-- {"p0":"%word%","p1":"%A\\_word\\%%"}

-- request_body not-contains: full absent binary text
(created_at, request_id) NOT IN (SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((request_kind != 'binary' AND lowerUTF8(request_body) LIKE lowerUTF8({p0:String}) AND lowerUTF8(request_body) LIKE lowerUTF8({p1:String}))))
-- {"p0":"%word%","p1":"%A\\_word\\%%"}

-- response_body equals: 
(created_at, request_id) IN (SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((response_kind != 'binary' AND response_body = {p0:String} AND lowerUTF8(response_body) = lowerUTF8({p0:String}))))
-- {"p0":"A_word%"}

-- response_body not-equals: full absent binary text
(created_at, request_id) NOT IN (SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((response_kind != 'binary' AND response_body = {p0:String} AND lowerUTF8(response_body) = lowerUTF8({p0:String}))))
-- {"p0":"A_word%"}

-- response_body like: 
(created_at, request_id) IN (SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((response_kind != 'binary' AND lowerUTF8(response_body) LIKE lowerUTF8({p0:String}) AND response_body LIKE {p1:String})))
-- {"p0":"%word%","p1":"A_word%"}

-- response_body ilike: 
(created_at, request_id) IN (SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((response_kind != 'binary' AND lowerUTF8(response_body) LIKE lowerUTF8({p0:String}) AND lowerUTF8(response_body) LIKE lowerUTF8({p1:String}))))
-- {"p0":"%word%","p1":"A_word%"}

-- response_body contains: 
(created_at, request_id) IN (SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((response_kind != 'binary' AND lowerUTF8(response_body) LIKE lowerUTF8({p0:String}) AND lowerUTF8(response_body) LIKE lowerUTF8({p1:String}))))
-- {"p0":"%word%","p1":"%A\\_word\\%%"}

-- response_body not-contains: full absent binary text
(created_at, request_id) NOT IN (SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND ((response_kind != 'binary' AND lowerUTF8(response_body) LIKE lowerUTF8({p0:String}) AND lowerUTF8(response_body) LIKE lowerUTF8({p1:String}))))
-- {"p0":"%word%","p1":"%A\\_word\\%%"}

-- cache_reference_id equals: 
cache_reference_id = {p0:String}
-- {"p0":"a_word%"}

-- cache_reference_id not-equals: full absent binary text
cache_reference_id != {p0:String}
-- {"p0":"a_word%"}

-- cache_reference_id like: 
cache_reference_id LIKE {p0:String}
-- {"p0":"a_word%"}

-- cache_reference_id ilike: 
lowerUTF8(cache_reference_id) LIKE lowerUTF8({p0:String})
-- {"p0":"a_word%"}

-- cache_reference_id contains: 
lowerUTF8(cache_reference_id) LIKE lowerUTF8({p0:String})
-- {"p0":"%a\\_word\\%%"}

-- cache_reference_id not-contains: full absent binary text
lowerUTF8(cache_reference_id) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%a\\_word\\%%"}

-- assets equals: 
if(empty(assets), '', replaceAll(toJSONString(assets), '\\/', '/')) = {p0:String}
-- {"p0":"A_word%"}

-- assets not-equals: full absent binary text
if(empty(assets), '', replaceAll(toJSONString(assets), '\\/', '/')) != {p0:String}
-- {"p0":"A_word%"}

-- assets like: 
if(empty(assets), '', replaceAll(toJSONString(assets), '\\/', '/')) LIKE {p0:String}
-- {"p0":"A_word%"}

-- assets ilike: 
lowerUTF8(if(empty(assets), '', replaceAll(toJSONString(assets), '\\/', '/'))) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- assets contains: 
lowerUTF8(if(empty(assets), '', replaceAll(toJSONString(assets), '\\/', '/'))) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- assets not-contains: full absent binary text
lowerUTF8(if(empty(assets), '', replaceAll(toJSONString(assets), '\\/', '/'))) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- prompt_id equals: 
prompt_id = {p0:String}
-- {"p0":"A_word%"}

-- prompt_id not-equals: full absent binary text
prompt_id != {p0:String}
-- {"p0":"A_word%"}

-- prompt_id like: 
prompt_id LIKE {p0:String}
-- {"p0":"A_word%"}

-- prompt_id ilike: 
lowerUTF8(prompt_id) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- prompt_id contains: 
lowerUTF8(prompt_id) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- prompt_id not-contains: full absent binary text
lowerUTF8(prompt_id) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- prompt_version equals: 
prompt_version = {p0:String}
-- {"p0":"A_word%"}

-- prompt_version not-equals: full absent binary text
prompt_version != {p0:String}
-- {"p0":"A_word%"}

-- prompt_version like: 
prompt_version LIKE {p0:String}
-- {"p0":"A_word%"}

-- prompt_version ilike: 
lowerUTF8(prompt_version) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- prompt_version contains: 
lowerUTF8(prompt_version) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- prompt_version not-contains: full absent binary text
lowerUTF8(prompt_version) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_referrer equals: 
referrer = {p0:String}
-- {"p0":"A_word%"}

-- request_referrer not-equals: full absent binary text
referrer != {p0:String}
-- {"p0":"A_word%"}

-- request_referrer like: 
referrer LIKE {p0:String}
-- {"p0":"A_word%"}

-- request_referrer ilike: 
lowerUTF8(referrer) LIKE lowerUTF8({p0:String})
-- {"p0":"A_word%"}

-- request_referrer contains: 
lowerUTF8(referrer) LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- request_referrer not-contains: full absent binary text
lowerUTF8(referrer) NOT LIKE lowerUTF8({p0:String})
-- {"p0":"%A\\_word\\%%"}

-- latency equals: 
latency = {p0:Float64}
-- {"p0":"1.5"}

-- latency not-equals: full absent binary text
(latency IS NULL OR latency != {p0:Float64})
-- {"p0":"1.5"}

-- latency gte: full binary
latency >= {p0:Float64}
-- {"p0":"1.5"}

-- latency lte: 
latency <= {p0:Float64}
-- {"p0":"1.5"}

-- latency gt: full binary
latency > {p0:Float64}
-- {"p0":"1.5"}

-- latency lt: 
latency < {p0:Float64}
-- {"p0":"1.5"}

-- cost equals: 
cost = {p0:Decimal(38, 12)}
-- {"p0":"1.500000000000"}

-- cost not-equals: full absent binary text
(cost IS NULL OR cost != {p0:Decimal(38, 12)})
-- {"p0":"1.500000000000"}

-- cost gte: binary
cost >= {p0:Decimal(38, 12)}
-- {"p0":"1.500000000000"}

-- cost lte: full text
cost <= {p0:Decimal(38, 12)}
-- {"p0":"1.500000000000"}

-- cost gt: binary
cost > {p0:Decimal(38, 12)}
-- {"p0":"1.500000000000"}

-- cost lt: full text
cost < {p0:Decimal(38, 12)}
-- {"p0":"1.500000000000"}

-- time_to_first_token equals: 
time_to_first_token = {p0:Float64}
-- {"p0":"1.5"}

-- time_to_first_token not-equals: full absent binary text
(time_to_first_token IS NULL OR time_to_first_token != {p0:Float64})
-- {"p0":"1.5"}

-- time_to_first_token gte: full
time_to_first_token >= {p0:Float64}
-- {"p0":"1.5"}

-- time_to_first_token lte: 
time_to_first_token <= {p0:Float64}
-- {"p0":"1.5"}

-- time_to_first_token gt: full
time_to_first_token > {p0:Float64}
-- {"p0":"1.5"}

-- time_to_first_token lt: 
time_to_first_token < {p0:Float64}
-- {"p0":"1.5"}

-- status equals: 
status = {p0:Float64}
-- {"p0":"1.5"}

-- status not-equals: full absent binary text
status != {p0:Float64}
-- {"p0":"1.5"}

-- status gte: full binary text
status >= {p0:Float64}
-- {"p0":"1.5"}

-- status lte: absent
status <= {p0:Float64}
-- {"p0":"1.5"}

-- status gt: full binary text
status > {p0:Float64}
-- {"p0":"1.5"}

-- status lt: absent
status < {p0:Float64}
-- {"p0":"1.5"}

-- prompt_tokens equals: 
prompt_tokens = {p0:Float64}
-- {"p0":"1.5"}

-- prompt_tokens not-equals: full absent binary text
(prompt_tokens IS NULL OR prompt_tokens != {p0:Float64})
-- {"p0":"1.5"}

-- prompt_tokens gte: full
prompt_tokens >= {p0:Float64}
-- {"p0":"1.5"}

-- prompt_tokens lte: 
prompt_tokens <= {p0:Float64}
-- {"p0":"1.5"}

-- prompt_tokens gt: full
prompt_tokens > {p0:Float64}
-- {"p0":"1.5"}

-- prompt_tokens lt: 
prompt_tokens < {p0:Float64}
-- {"p0":"1.5"}

-- completion_tokens equals: 
completion_tokens = {p0:Float64}
-- {"p0":"1.5"}

-- completion_tokens not-equals: full absent binary text
(completion_tokens IS NULL OR completion_tokens != {p0:Float64})
-- {"p0":"1.5"}

-- completion_tokens gte: full
completion_tokens >= {p0:Float64}
-- {"p0":"1.5"}

-- completion_tokens lte: 
completion_tokens <= {p0:Float64}
-- {"p0":"1.5"}

-- completion_tokens gt: full
completion_tokens > {p0:Float64}
-- {"p0":"1.5"}

-- completion_tokens lt: 
completion_tokens < {p0:Float64}
-- {"p0":"1.5"}

-- prompt_cache_read_tokens equals: 
prompt_cache_read_tokens = {p0:Float64}
-- {"p0":"1.5"}

-- prompt_cache_read_tokens not-equals: full absent binary text
(prompt_cache_read_tokens IS NULL OR prompt_cache_read_tokens != {p0:Float64})
-- {"p0":"1.5"}

-- prompt_cache_read_tokens gte: 
prompt_cache_read_tokens >= {p0:Float64}
-- {"p0":"1.5"}

-- prompt_cache_read_tokens lte: full
prompt_cache_read_tokens <= {p0:Float64}
-- {"p0":"1.5"}

-- prompt_cache_read_tokens gt: 
prompt_cache_read_tokens > {p0:Float64}
-- {"p0":"1.5"}

-- prompt_cache_read_tokens lt: full
prompt_cache_read_tokens < {p0:Float64}
-- {"p0":"1.5"}

-- prompt_cache_write_tokens equals: 
prompt_cache_write_tokens = {p0:Float64}
-- {"p0":"1.5"}

-- prompt_cache_write_tokens not-equals: full absent binary text
(prompt_cache_write_tokens IS NULL OR prompt_cache_write_tokens != {p0:Float64})
-- {"p0":"1.5"}

-- prompt_cache_write_tokens gte: full
prompt_cache_write_tokens >= {p0:Float64}
-- {"p0":"1.5"}

-- prompt_cache_write_tokens lte: 
prompt_cache_write_tokens <= {p0:Float64}
-- {"p0":"1.5"}

-- prompt_cache_write_tokens gt: full
prompt_cache_write_tokens > {p0:Float64}
-- {"p0":"1.5"}

-- prompt_cache_write_tokens lt: 
prompt_cache_write_tokens < {p0:Float64}
-- {"p0":"1.5"}

-- total_tokens equals: 
total_tokens = {p0:Float64}
-- {"p0":"1.5"}

-- total_tokens not-equals: full absent binary text
(total_tokens IS NULL OR total_tokens != {p0:Float64})
-- {"p0":"1.5"}

-- total_tokens gte: full
total_tokens >= {p0:Float64}
-- {"p0":"1.5"}

-- total_tokens lte: 
total_tokens <= {p0:Float64}
-- {"p0":"1.5"}

-- total_tokens gt: full
total_tokens > {p0:Float64}
-- {"p0":"1.5"}

-- total_tokens lt: 
total_tokens < {p0:Float64}
-- {"p0":"1.5"}

-- request_created_at equals: absent
created_at = fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- request_created_at gte: absent binary text
created_at >= fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- request_created_at lte: full absent
created_at <= fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- request_created_at gt: binary text
created_at > fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- request_created_at lt: full
created_at < fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- response_created_at equals: 
response_created_at = fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- response_created_at gte: 
response_created_at >= fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- response_created_at lte: full
response_created_at <= fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- response_created_at gt: 
response_created_at > fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- response_created_at lt: full
response_created_at < fromUnixTimestamp64Milli({p0:Int64}, 'UTC')
-- {"p0":"1769904000000"}

-- threat equals: full
threat = {p0:Bool}
-- {"p0":true}

-- cache_enabled equals: full
cache_enabled = {p0:Bool}
-- {"p0":true}

-- cached equals: full
cached = {p0:Bool}
-- {"p0":true}

-- svc-score-feedback equals: full
feedback_rating = {p0:Bool}
-- {"p0":true}

-- is_passthrough_billing equals: full
is_passthrough_billing = {p0:Bool}
-- {"p0":true}

-- property_key equals: 
mapContains(properties, {p0:String})
-- {"p0":"A_word%"}

-- properties equals: 
properties[{p0:String}] = {p1:String}
-- {"p0":"name","p1":"A_word%"}

-- properties not-equals: full absent binary text
properties[{p0:String}] != {p1:String}
-- {"p0":"name","p1":"A_word%"}

-- properties like: 
(mapContains(properties, {p0:String}) AND properties[{p0:String}] LIKE {p1:String})
-- {"p0":"name","p1":"A_word%"}

-- properties ilike: 
(mapContains(properties, {p0:String}) AND lowerUTF8(properties[{p0:String}]) LIKE lowerUTF8({p1:String}))
-- {"p0":"name","p1":"A_word%"}

-- properties contains: 
(mapContains(properties, {p0:String}) AND lowerUTF8(properties[{p0:String}]) LIKE lowerUTF8({p1:String}))
-- {"p0":"name","p1":"%A\\_word\\%%"}

-- properties not-contains: full absent binary text
lowerUTF8(properties[{p0:String}]) NOT LIKE lowerUTF8({p1:String})
-- {"p0":"name","p1":"%A\\_word\\%%"}

-- search_properties equals: 
(mapContains(properties, {p0:String}) AND lowerUTF8(properties[{p0:String}]) LIKE lowerUTF8({p1:String}))
-- {"p0":"name","p1":"A_word%"}

-- search_properties not-equals: full absent binary text
properties[{p0:String}] != {p1:String}
-- {"p0":"name","p1":"A_word%"}

-- search_properties like: 
(mapContains(properties, {p0:String}) AND properties[{p0:String}] LIKE {p1:String})
-- {"p0":"name","p1":"A_word%"}

-- search_properties ilike: 
(mapContains(properties, {p0:String}) AND lowerUTF8(properties[{p0:String}]) LIKE lowerUTF8({p1:String}))
-- {"p0":"name","p1":"A_word%"}

-- search_properties contains: 
(mapContains(properties, {p0:String}) AND lowerUTF8(properties[{p0:String}]) LIKE lowerUTF8({p1:String}))
-- {"p0":"name","p1":"%A\\_word\\%%"}

-- search_properties not-contains: full absent binary text
lowerUTF8(properties[{p0:String}]) NOT LIKE lowerUTF8({p1:String})
-- {"p0":"name","p1":"%A\\_word\\%%"}

-- scores equals: 
(mapContains(scores, {p0:String}) AND scores[{p0:String}] = {p1:Float64})
-- {"p0":"name","p1":"1.5"}

-- scores not-equals: 
(mapContains(scores, {p0:String}) AND scores[{p0:String}] != {p1:Float64})
-- {"p0":"name","p1":"1.5"}

-- scores gte: 
(mapContains(scores, {p0:String}) AND scores[{p0:String}] >= {p1:Float64})
-- {"p0":"name","p1":"1.5"}

-- scores lte: 
(mapContains(scores, {p0:String}) AND scores[{p0:String}] <= {p1:Float64})
-- {"p0":"name","p1":"1.5"}

-- scores gt: 
(mapContains(scores, {p0:String}) AND scores[{p0:String}] > {p1:Float64})
-- {"p0":"name","p1":"1.5"}

-- scores lt: 
(mapContains(scores, {p0:String}) AND scores[{p0:String}] < {p1:Float64})
-- {"p0":"name","p1":"1.5"}
