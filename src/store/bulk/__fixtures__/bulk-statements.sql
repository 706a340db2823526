-- list what matches
INSERT INTO job_requests (job, org_id, created_at, request_id) SELECT {job:UInt64} AS job, org_id, created_at, request_id FROM requests WHERE org_id = {tenant:UInt128} AND (cached)
-- {"job":"1000","tenant":"528914269453437118709770"}

-- list what another job changed
INSERT INTO job_requests (job, org_id, created_at, request_id) SELECT {job:UInt64} AS job, org_id, created_at, request_id FROM requests WHERE org_id = {tenant:UInt128} AND (created_at <= fromUnixTimestamp64Milli({undone_at:Int64}, 'UTC') AND request_id IN (SELECT request_id FROM changes WHERE org_id = {tenant:UInt128} AND (number = {undone:UInt64} AND changed_at = fromUnixTimestamp64Milli({undone_at:Int64}, 'UTC'))))
-- {"job":"1000","undone_at":"1690000000000","undone":"900","tenant":"528914269453437118709770"}

-- count
SELECT count() AS total FROM job_requests WHERE org_id = {tenant:UInt128} AND (job = {job:UInt64})
-- {"job":"1000","tenant":"528914269453437118709770"}

-- first
SELECT toUnixTimestamp64Milli(created_at) AS created_ms, toString(request_id) AS id FROM job_requests WHERE org_id = {tenant:UInt128} AND (job = {job:UInt64}) ORDER BY created_at, request_id LIMIT {limit:UInt64}
-- {"job":"1000","limit":"2000","tenant":"528914269453437118709770"}

-- next
SELECT toUnixTimestamp64Milli(created_at) AS created_ms, toString(request_id) AS id FROM job_requests WHERE org_id = {tenant:UInt128} AND (job = {job:UInt64} AND (created_at, request_id) > (fromUnixTimestamp64Milli({after:Int64}, 'UTC'), {after_id:UInt128})) ORDER BY created_at, request_id LIMIT {limit:UInt64}
-- {"job":"1000","after":"1600000000002","after_id":"528914269453437118709762","limit":"2000","tenant":"528914269453437118709770"}

-- sizes
SELECT toString(request_id) AS id, sum(size) AS bytes FROM ((SELECT request_id, arraySum(arrayMap((name, text) -> length(name) + length(text), mapKeys(properties), mapValues(properties))) AS size FROM requests WHERE org_id = {tenant:UInt128} AND (created_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND created_at <= fromUnixTimestamp64Milli({to:Int64}, 'UTC') AND request_id IN {ids:Array(UInt128)})) UNION ALL (SELECT request_id, length(old) + length(new) AS size FROM changes WHERE org_id = {tenant:UInt128} AND (request_id IN {entry_ids:Array(UInt128)} AND number >= {since:UInt64} AND kind = 'property'))) GROUP BY request_id
-- {"from":"1600000000001","to":"1600000000002","ids":["528914269453437118709761","528914269453437118709762"],"entry_ids":["528914269453437118709761","528914269453437118709762"],"since":"1000","tenant":"528914269453437118709770"}

-- rows
SELECT toString(request_id) AS id, arrayMap(name -> if(mapContains(properties, name), toNullable(properties[name]), NULL), {names:Array(String)}) AS old_values, length(properties) AS property_count, arraySum(arrayMap((name, text) -> length(name) + length(text), mapKeys(properties), mapValues(properties))) AS property_bytes, arrayFilter(number -> number > {since:UInt64}, session_changes) AS session_numbers FROM requests WHERE org_id = {tenant:UInt128} AND (created_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND created_at <= fromUnixTimestamp64Milli({to:Int64}, 'UTC') AND request_id IN {ids:Array(UInt128)})
-- {"names":["Team","it's"],"since":"1000","from":"1600000000001","to":"1600000000002","ids":["528914269453437118709761","528914269453437118709762"],"tenant":"528914269453437118709770"}

-- history
SELECT toString(request_id) AS id, name, number, old, new FROM changes WHERE org_id = {tenant:UInt128} AND (request_id IN {entry_ids:Array(UInt128)} AND number >= {since:UInt64} AND kind = 'property') ORDER BY number, name
-- {"entry_ids":["528914269453437118709761","528914269453437118709762"],"since":"900","tenant":"528914269453437118709770"}

-- changes of sessions
SELECT number, name, new FROM session_changes WHERE org_id = {tenant:UInt128} AND (number IN {numbers:Array(UInt64)})
-- {"numbers":["1001"],"tenant":"528914269453437118709770"}

-- the same for all
UPDATE requests SET properties = mapUpdate(properties, mapFromArrays({names:Array(String)}, {values:Array(String)})), updated_at = now64(3, 'UTC') WHERE org_id = {tenant:UInt128} AND (created_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND created_at <= fromUnixTimestamp64Milli({to:Int64}, 'UTC') AND request_id IN {ids:Array(UInt128)})
-- {"names":["Team"],"values":["ads"],"from":"1600000000001","to":"1600000000002","ids":["528914269453437118709761","528914269453437118709762"],"tenant":"528914269453437118709770"}

-- the same for all, with a removal
UPDATE requests SET session_id = multiIf(has({names:Array(String)}, 'Svc-Session-Id'), ({values:Array(String)})[indexOf({names:Array(String)}, 'Svc-Session-Id')], has({removed:Array(String)}, 'Svc-Session-Id'), '', session_id), properties = mapUpdate(mapFilter((name, text) -> NOT has({removed:Array(String)}, name), properties), mapFromArrays({names:Array(String)}, {values:Array(String)})), updated_at = now64(3, 'UTC') WHERE org_id = {tenant:UInt128} AND (created_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND created_at <= fromUnixTimestamp64Milli({to:Int64}, 'UTC') AND request_id IN {ids:Array(UInt128)})
-- {"names":["Svc-Session-Id"],"values":["s"],"removed":["Draft"],"from":"1600000000001","to":"1600000000002","ids":["528914269453437118709761","528914269453437118709762"],"tenant":"528914269453437118709770"}

-- one thing for each
UPDATE requests SET properties = mapUpdate(mapFilter((name, text) -> NOT has({removed:Array(Array(String))}[{places:Array(UInt64)}[indexOf({ids:Array(UInt128)}, request_id)]], name), properties), mapFromArrays({names:Array(Array(String))}[{places:Array(UInt64)}[indexOf({ids:Array(UInt128)}, request_id)]], {values:Array(Array(String))}[{places:Array(UInt64)}[indexOf({ids:Array(UInt128)}, request_id)]])), updated_at = now64(3, 'UTC') WHERE org_id = {tenant:UInt128} AND (created_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND created_at <= fromUnixTimestamp64Milli({to:Int64}, 'UTC') AND request_id IN {ids:Array(UInt128)})
-- {"removed":[[],["Team"]],"places":[1,2],"ids":["528914269453437118709761","528914269453437118709762"],"names":[["Team"],[]],"values":[["a"],[]],"from":"1600000000001","to":"1600000000002","tenant":"528914269453437118709770"}
