import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { program } from '../scripts/prepare.mjs';
import { loadConfig } from '../src/config/load.ts';
import { clientVariables, settingRows } from '../src/config/variables.ts';
import { addressedProviders } from '../src/model/providers/providers.ts';
import { stopMarginMs } from '../src/supervisor/supervisor.ts';

const read = (name: string): string => readFileSync(path.join('deploy', name), 'utf8');
const names = readdirSync('deploy', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name !== 'gatelog.env')
  .map((entry) => path.relative('deploy', path.join(entry.parentPath, entry.name)));
const isTemplate = (name: string): boolean => name.includes('/templates/');

/** Every document of a file of YAML or JSON. */
function documentsOf(name: string, text = read(name)): readonly unknown[] {
  return parseAllDocuments(text).map((document) => {
    expect([...document.errors, ...document.warnings].map(({ message }) => message)).toEqual([]);
    return document.toJS() as unknown;
  });
}

/** As YAML without the actions of Go's templates: those that fill a line leave it, others are some text. */
function withoutActions(template: string): string {
  return template.replaceAll(/^\s*\{\{.*\}\}\s*\n/gm, '').replaceAll(/\{\{.*?\}\}/g, 'OPENAI');
}

/** The first group of a pattern that a file must have. */
function found(name: string, pattern: RegExp): string {
  const group = pattern.exec(read(name))?.[1];
  if (group === undefined) throw new Error(`deploy/${name} has nothing like ${pattern.source}`);
  return group;
}

const all = (text: string, pattern: RegExp): readonly string[] => [...text.matchAll(pattern)].map(([, group = '']) => group);

function defaultOf(setting: string): string {
  const value = settingRows.find(([, { name }]) => name === setting)?.[1].default;
  if (typeof value !== 'string') throw new Error(`${setting} has no default that is the same everywhere`);
  return value;
}

describe('files parse', () => {
  it.each(names.filter((name) => /\.(?:ya?ml|json)$/.test(name) && !isTemplate(name)))('%s', (name) => {
    const [document] = name.endsWith('.json') ? [JSON.parse(read(name)) as unknown] : documentsOf(name);
    expect(document).toBeTypeOf('object');
  });

  it.each(names.filter((name) => isTemplate(name) && name.endsWith('.yaml')))('%s, apart from its actions', (name) => {
    const kinds = documentsOf(name, withoutActions(read(name))).map((document) => (document as { kind: string }).kind);
    expect(kinds.filter((kind) => !/^[A-Z]\w+$/.test(kind))).toEqual([]);
  });
});

describe('settings', () => {
  const known = new Set([...settingRows.map(([, { name }]) => name), ...clientVariables]);
  const isKnown = (name: string): boolean => {
    const provider = /^GATELOG_PROVIDER_([A-Z]+)_(?:URL|KEY)$/.exec(name)?.[1]?.toLowerCase();
    return known.has(name) || addressedProviders.some((address) => address === provider);
  };

  it.each(names)('%s names only some that there are', (name) => {
    const text = isTemplate(name) ? read(name).replaceAll(/\{\{.*?\}\}/g, 'OPENAI') : read(name);
    expect(all(text, /\b(GATELOG_[A-Z0-9_]*[A-Z0-9])/g).filter((setting) => !isKnown(setting))).toEqual([]);
  });
});

/** Labels of a metric, by its name and the names of its series. */
const metrics = new Map(
  [...readFileSync('docs/reference/metrics.md', 'utf8').matchAll(/^\| `(\w+)` \| (\w+) \| (.*?) \|/gm)].flatMap(
    ([, name = '', kind = '', labels = '']) => {
      const own = all(labels, /`(\w+)`/g);
      const series = kind === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
      return series.map((one) => [one, kind === 'histogram' ? [...own, 'le'] : own] as const);
    },
  ),
);
/** What Prometheus and the page's processes add. */
const commonLabels = ['job', 'instance', 'process'];
/** Of other programs. */
const foreignMetrics = /^up$/;

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly for?: string;
      readonly labels?: { readonly severity?: string };
      readonly annotations?: { readonly summary?: string; readonly action?: string };
    }[];
  }[];
}
interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

const [rules] = documentsOf('prometheus/gatelog.rules.yml') as [Rules];
const dashboard = JSON.parse(read('grafana/gatelog.json')) as Dashboard;
const alerts = rules.groups.flatMap((group) => group.rules);
const expressions = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
];

/** What an expression names that is not there. */
function unknownIn(expression: string): readonly string[] {
  const selectors = [...expression.matchAll(/\b([a-z]\w*)\{([^}]*)\}/g)];
  const named = all(expression, /\b((?:gatelog|node|kubelet)_\w+|up)\b/g);
  const labels = named.flatMap((name) => metrics.get(name) ?? []);
  const isOwn = named.every((name) => metrics.has(name));
  return [
    ...named.filter((name) => !metrics.has(name) && !foreignMetrics.test(name)),
    ...selectors.flatMap(([, name = '', matchers = '']) => {
      const allowed = metrics.get(name);
      return allowed === undefined ? [] : all(matchers, /(\w+)\s*[=!]/g).filter((label) => ![...commonLabels, ...allowed].includes(label));
    }),
    ...all(expression, /\bby \(([^)]*)\)/g)
      .flatMap((list) => list.split(/,\s*/))
      .filter((label) => isOwn && ![...commonLabels, ...labels].includes(label)),
  ];
}

describe('metrics', () => {
  it.each(expressions)('%s: %s has only names and labels of docs/reference/metrics.md', (_title, expression) => {
    expect(unknownIn(expression)).toEqual([]);
  });

  it('unknown names and labels are found', () => {
    expect(metrics.size).toBeGreaterThan(50);
    expect(unknownIn('sum by (colour, le) (rate(gatelog_spool_bytes{state="x", process="core"}[5m])) + gatelog_nothing')).toEqual([
      'gatelog_nothing',
      'state',
    ]);
    expect(unknownIn('sum by (colour, le) (rate(gatelog_spool_bytes[5m]))')).toEqual(['colour', 'le']);
  });

  it('every alert waits, is of a severity, and says what to do, and has a case that fires', () => {
    const lacking = alerts.filter(
      ({ for: wait, labels, annotations }) =>
        wait === undefined ||
        !/^(?:critical|warning)$/.test(labels?.severity ?? '') ||
        annotations?.summary === undefined ||
        annotations.action === undefined,
    );
    expect(lacking.map(({ alert }) => alert)).toEqual([]);
    const tested = all(read('prometheus/gatelog.rules.test.yml'), /alertname="(\w+)"/g);
    expect(tested.toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
  });
});

interface Values {
  readonly ports: { readonly gateway: number; readonly api: number };
  readonly stopCallsSeconds: number;
}
const [values] = documentsOf('helm/gatelog/values.yaml') as [Values];

describe('the values of the chart', () => {
  const fits = new Ajv({ strict: false }).compile(JSON.parse(read('helm/gatelog/values.schema.json')) as object);

  it('fit their schema', () => {
    fits(values);
    expect(fits.errors).toBe(null);
  });

  it.each([
    ['several pods', { ...values, replicas: 2 }],
    ['a setting that is not one', { ...values, settings: { RETENTION_DAYS: '90' } }],
    ['a number as a setting', { ...values, settings: { GATELOG_RETENTION_DAYS: 90 } }],
    ['another data folder', { ...values, settings: { GATELOG_DATA_DIR: '/elsewhere' } }],
    ['a short secret', { ...values, secret: { secretKey: 'short' } }],
  ])('%s does not', (_title, wrong) => {
    expect(fits(wrong)).toBe(false);
  });

  it('are all used, and no others', () => {
    const used = names.filter(isTemplate).flatMap((name) => all(read(name), /\.Values\.(\w+)/g));
    expect([...new Set(used)].toSorted()).toEqual(Object.keys(values).toSorted());
  });
});

describe('the time to stop', () => {
  const callsMs = Number(defaultOf('GATELOG_STOP_CALLS_MS'));
  const wholeMs = callsMs + stopMarginMs;

  it.each([
    ['Dockerfile', /docker stop --time (\d+)/],
    ['compose.yaml', /stop_grace_period: (\d+)s/],
    ['systemd/gatelog.service', /^TimeoutStopSec=(\d+)$/m],
  ])('%s leaves more than the program takes', (name, pattern) => {
    expect(Number(found(name, pattern)) * 1000).toBeGreaterThanOrEqual(wholeMs + 2000);
  });

  it('the chart does, whatever time calls have', () => {
    const spareMs =
      Number(
        found('helm/gatelog/templates/statefulset.yaml', /terminationGracePeriodSeconds: \{\{ add \.Values\.stopCallsSeconds (\d+) \}\}/),
      ) * 1000;
    expect(spareMs).toBeGreaterThanOrEqual(stopMarginMs + 2000);
    expect(values.stopCallsSeconds * 1000).toBe(callsMs);
  });
});

describe('files agree', () => {
  const [gateway, api] = [defaultOf('GATELOG_GATEWAY_PORT'), defaultOf('GATELOG_API_PORT')];
  const both = [gateway, api];

  it.each([
    ['Dockerfile', /^EXPOSE (\d+) (\d+)$/gm],
    ['compose.yaml', /- 127\.0\.0\.1:(\d+):\1$/gm],
    ['nginx/gatelog.conf', /^ {2}server 127\.0\.0\.1:(\d+);$/gm],
    ['caddy/Caddyfile', /reverse_proxy 127\.0\.0\.1:(\d+) /g],
  ])('%s has the ports of the program', (name, pattern) => {
    expect([...read(name).matchAll(pattern)].flatMap(([, ...ports]) => ports)).toEqual(both);
  });

  it.each(['nginx/one-address.conf', 'caddy/one-address.Caddyfile'])('%s has the port and the path that it sets', (name) => {
    const set = Object.fromEntries(all(read(name), /^# {3}(GATELOG_\w+=.*)$/gm).map((line) => line.split('=', 2) as [string, string]));
    expect(read(name)).toContain(` 127.0.0.1:${set['GATELOG_PORT'] ?? ''}`);
    expect(all(read(name), /(?:location|path|respond) (?:= )?(\/[^/\s]+)/g)).toEqual([set['GATELOG_BASE_PATH'], set['GATELOG_BASE_PATH']]);
    const loaded = loadConfig(set);
    expect(loaded).toMatchObject({ config: { publicGatewayUrl: 'https://tools.example.com/gatelog/gateway' } });
  });

  it('so have the chart, the checks of the containers and Prometheus', () => {
    expect([values.ports.gateway, values.ports.api].map(String)).toEqual(both);
    expect(found('Dockerfile', /GATEWAY_PORT \|\| (\d+)/)).toBe(gateway);
    expect(found('compose.yaml', /127\.0\.0\.1:(\d+)\/readyz/)).toBe(gateway);
    expect(found('prometheus/prometheus.yml', /- 127\.0\.0\.1:(\d+)$/m)).toBe(api);
  });

  it('on the user, the data folder and the version', () => {
    const user = found('Dockerfile', /^USER (\d+):/m);
    const ids = all(read('helm/gatelog/templates/statefulset.yaml'), /(?:runAsUser|runAsGroup|fsGroup): (\d+)/g);
    expect(new Set([...ids, ...all(read('Dockerfile'), /--[ug]id (\d+)/g)])).toEqual(new Set([user]));
    const folder = found('Dockerfile', /GATELOG_DATA_DIR=(\S+)/);
    expect(found('compose.yaml', /- data:(\S+)/)).toBe(folder);
    expect(found('helm/gatelog/templates/statefulset.yaml', /name: data\n +mountPath: (\S+)/)).toBe(folder);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
    const versions = [found('helm/gatelog/Chart.yaml', /^appVersion: (\S+)$/m), found('compose.yaml', /image: gatelog:(\S+)/)];
    expect(versions).toEqual([version, version]);
  });

  it('proxies end idle connections before the program does', () => {
    const proxies = names.filter((name) => /^(?:nginx|caddy)\//.test(name));
    const seconds = proxies.flatMap((name) => all(read(name), /keepalive(?:_timeout)? (\d+)s/g));
    expect(seconds).toHaveLength(5);
    expect(Math.max(...seconds.map(Number)) * 1000).toBeLessThan(Number(defaultOf('GATELOG_KEEP_ALIVE_TIMEOUT_MS')));
  });

  it('the image gets everything that it is built from', () => {
    const kept = all(readFileSync('.dockerignore', 'utf8'), /^!(.+)$/gm);
    const needed = [...program.inputs, ...(program.part?.inputs ?? [])].map((input) => input.split(path.sep)[0] ?? '');
    const isKept = (name: string): boolean =>
      kept.some((pattern) => new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(name));
    expect([...needed, 'openapi.json', 'package.json'].filter((name) => !isKept(name))).toEqual([]);
    expect(['data', 'node_modules', 'deploy', '.git'].filter(isKept)).toEqual([]);
  });
});
