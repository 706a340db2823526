import type { ClickHouseServers } from '../config/clickhouse-url.ts';
import type { CheckResult } from '../store/conformance/check.ts';
import { checkServers } from '../store/conformance/check-servers.ts';

/** Tries ClickHouse servers beside any service. @returns the results one by one. */
export function tryServers(servers: ClickHouseServers): AsyncIterable<CheckResult> {
  return checkServers(servers);
}
