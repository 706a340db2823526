import { clickhouseUrlForm, readClickHouseUrl } from '../../config/clickhouse-url.ts';
import { type CommandContext, CommandError, type TriedRule, UsageError } from '../base/dependencies.ts';
import { jsonText } from '../base/json.ts';

/**
 * `gatelog store check --url ADDRESS`: tries ClickHouse servers in a database of its own and prints what holds. @throws CommandError when
 * something does not.
 */
export async function checkServersAt(context: CommandContext, url: string, { json }: { readonly json?: true }): Promise<void> {
  const read = readClickHouseUrl(url);
  if ('problem' in read) throw new UsageError(`The value of --url ${read.problem}; write ${clickhouseUrlForm}.`);
  const results: TriedRule[] = [];
  for await (const result of await context.tryServers(read.value)) {
    results.push(result);
    if (json !== true) for (const line of linesOf(result)) context.print(line);
  }
  if (json === true) context.print(jsonText(results, 2));
  const faults = results.filter(({ fault }) => fault !== undefined);
  if (faults.length > 0) {
    throw new CommandError(`${faults.length} of ${results.length} do not hold, so these servers cannot keep the records.`);
  }
  context.hint(`All ${results.length} hold. GATELOG_CLICKHOUSE_URL with this address keeps the records there.`);
}

function linesOf({ name, fault, remedy }: TriedRule): readonly string[] {
  return fault === undefined ? [`ok      ${name}`] : [`FAULT   ${name}`, `        ${fault}`, `        ${remedy}`];
}
