import { expect, it } from 'vitest';
import type { MetricFamily } from '../platform/metrics/meter.ts';
import { spendFamilies } from '../ingest/spend-counters.ts';
import { coreFamilies } from './core-metrics.ts';
import { familiesOf } from './metric-families.ts';

const intro = `# Metrics

\`GET /metrics\` of the API listener shows the numbers of every process as Prometheus reads them. The label \`process\` is \`core\`, \`supervisor\` or a gateway
worker's slot, \`gateway-0\` and so on: a worker that is started again goes on where its predecessor's last word stood, at most a second before its death. The
numbers of the others are a second old; those of the core begin at 0 with it. The values of labels are closed lists but for \`organization\`, \`provider\` and \`model\` of
what calls have spent, which are there only where the page needs a key (\`GATELOG_METRICS_KEY\`) and are bounded ([how](../operations/health-and-alerts.md#cost-and-tokens)). This page
comes from the tables in the code (\`npx vitest run src/health/metrics-page.test.ts -u\`).

What to wake somebody for:

\`\`\`
increase(gatelog_gateway_unrecorded_total[5m]) > 0                             # calls that are not on record
gatelog_spool_bytes / gatelog_spool_max_bytes > 0.8                            # soon they will not be
gatelog_spool_oldest_waiting_seconds > 60 or gatelog_ingest_draining == 0      # records do not get into the store
increase(gatelog_dead_letters_total[1h]) > 0                                   # exchanges that could not be stored
increase(gatelog_dead_letters_removed_total[1h]) > 0                           # and those that were removed
gatelog_ready == 0                                                             # a gateway takes no calls, or the core cannot work
gatelog_data_disk_free_bytes < 2 * gatelog_data_disk_spare_bytes               # soon nothing is stored
gatelog_store_damaged_parts > 0                                                # files of the store cannot be read
increase(gatelog_process_exits_total[15m]) > 3                                 # a part that keeps dying
gatelog_events_total{kind="removals_put_off"} > 0                              # the clock went ahead: after an hour it is believed, and retention removes by it
\`\`\`

`;

const rowOf = ({ name, kind, labels = {}, help }: MetricFamily): string =>
  `| \`${name}\` | ${kind} | ${Object.entries(labels).map(labelText).join('; ')} | ${help} |\n`;
const labelText = ([label, values]: [string, readonly string[]]): string =>
  values.length > 8 ? `\`${label}\`` : `\`${label}\`: ${values.join(', ')}`;

/** Open ones. */
const spendLabels = { organization: ['its identifier'], provider: ['its name'], model: ['its name'] };

it('docs/reference/metrics.md lists every metric of every process', async () => {
  const spend = spendFamilies.map(({ labels, ...family }): MetricFamily => ({
    ...family,
    kind: 'counter',
    labels: { ...spendLabels, ...labels },
  }));
  const families = [...new Set([...familiesOf.gateway, ...coreFamilies, ...familiesOf.supervisor, ...spend])].toSorted((one, other) =>
    one.name.localeCompare(other.name),
  );
  const table = `| metric | kind | labels | what it says |\n| --- | --- | --- | --- |\n${families.map(rowOf).join('')}`;
  await expect(intro + table).toMatchFileSnapshot('../../docs/reference/metrics.md');
});
