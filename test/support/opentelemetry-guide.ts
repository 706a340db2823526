import { readFileSync } from 'node:fs';
import { testKey } from './process-tree.ts';

const guide = readFileSync('docs/guides/opentelemetry.md', 'utf8');

/** What the guide has between two texts. */
function between(start: string, end: string): string {
  const from = guide.indexOf(start);
  const to = guide.indexOf(end, from + start.length);
  if (from === -1 || to === -1) throw new Error(`the guide has no ${JSON.stringify(start)} before ${JSON.stringify(end)}`);
  return guide.slice(from + start.length, to);
}

/** Variables of the guide's prose, one a line. */
function exported(prose: string): string {
  return [...prose.matchAll(/`([A-Z_]+=[^`]+)`/g)].map(([, variable = '']) => `export ${variable}`).join('\n');
}

const block = '\n\n<!-- not run: variables of an application -->\n```sh\n';
const twoVariables = between(`needs two variables:${block}`, '```');

const application = '\n\n<!-- not run: it needs an application -->\n```js\n';

/** The set-ups of docs/guides/opentelemetry.md as they stand there: lines of a shell, an option of the AI SDK, and programs. */
export const guideSetUps = {
  twoVariables,
  headers: twoVariables.split('\n').find((line) => line.startsWith('export OTEL_EXPORTER_OTLP_HEADERS=')) ?? '',
  tags: between(`hold for every span that does not tell another:${block}`, '```'),
  openLlmetry: exported(between('**OpenLLMetry**, in Python or JavaScript: ', '. Traceloop')),
  openLit: exported(between('**OpenLIT**: ', ' and the headers above')),
  logs: between(`They send log records, once contents are to be captured:${block}`, '```'),
  collector: between(
    '**An OpenTelemetry Collector**, beside the receivers that it has:\n\n<!-- not run: settings of the Collector -->\n```yaml\n',
    '```',
  ),
  asyncLoggerUrl: between("`baseUrl: '", "'`"),
  langfuse: between(`**Langfuse**, beside Langfuse or in its place:${application}`, '```'),
  aiSdk7: between(`It takes the name \`experimental_telemetry\` for \`telemetry\` too.${application}`, '```'),
  aiSdkOption: between('**AI SDK** 5 and 6: `', '` in each call'),
} as const;

/** The lines with the address of this gateway and a key that holds. */
export function pointedAt(lines: string, gateway: string): string {
  return lines.replaceAll('http://127.0.0.1:8787', gateway).replaceAll('<key>', testKey);
}
