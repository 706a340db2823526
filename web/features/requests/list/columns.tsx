import type { ReactNode } from 'react';
import type { RequestItem } from '../../../../src/client/client.ts';
import { formatBytes, formatCount, formatDuration, formatTime } from '../../../lib/format.ts';
import { formatScore } from '../../../lib/metrics/metric-format.ts';
import { ownOf } from '../../../lib/own.ts';
import { isOfService } from '../../../lib/property-names.ts';
import { Badge } from '../../../ui/badge.tsx';
import { StatusBadge } from '../../../ui/status-badge.tsx';
import { costText, isWithoutPrice } from '../cost-text.ts';
import type { SortKey } from '../search.ts';
import { failureWord, PhoneCell, WordsCell } from './words-cell.tsx';

/** A column of the list. */
export interface Column {
  /** As it stands in the address. */
  readonly id: string;
  readonly title: string;
  /** Pixels, unless somebody has sized the column. */
  readonly width: number;
  readonly isNumber?: true;
  /** Pixels that a cell needs; absent: those of one line. */
  readonly height?: number;
  /** Orders that a press of its title asks for, one after the other. */
  readonly sorts?: readonly SortKey[];
  /**
   * @param words Those of the search.
   * @param figure That of `figureOf`, its decimals below those of the other rows.
   */
  readonly cell: (request: RequestItem, zone: string, words: readonly string[], figure: string) => ReactNode;
  readonly figureOf?: (request: RequestItem) => string;
  /** The text of a cell that is cut. */
  readonly textOf?: (request: RequestItem) => string;
  /** Columns of an export. */
  readonly exported: string | readonly string[];
}

interface Source {
  readonly id: string;
  readonly title: string;
  readonly width: number;
  /** Column of an export; absent: the identifier. */
  readonly exported?: string;
  readonly sorts?: readonly SortKey[];
}

function text({ exported, ...source }: Source, read: (request: RequestItem) => string | null | undefined): Column {
  return { ...source, exported: exported ?? source.id, cell: (request) => read(request) ?? '', textOf: (request) => read(request) ?? '' };
}

function number({ exported, ...source }: Source, read: (request: RequestItem) => string): Column {
  return { ...source, exported: exported ?? source.id, isNumber: true, figureOf: read, cell: (_request, _zone, _words, figure) => figure };
}

/** Those that every request has. */
const own: readonly Column[] = [
  {
    id: 'time',
    title: 'Time',
    width: 122,
    exported: 'request_created_at',
    sorts: ['newest', 'oldest'],
    cell: (request, zone) => formatTime(request.request_created_at, zone),
  },
  {
    id: 'words',
    title: 'Input → Output',
    width: 320,
    height: 50,
    exported: ['input_preview', 'output_preview'],
    cell: (request, _zone, words) => <WordsCell request={request} words={words} />,
  },
  {
    id: 'phone',
    title: 'Requests',
    width: 280,
    height: 74,
    exported: ['request_created_at', 'input_preview', 'output_preview', 'model', 'cost', 'latency'],
    cell: (request, zone, words) => <PhoneCell request={request} words={words} zone={zone} />,
  },
  text({ id: 'input_preview', title: 'Input', width: 280 }, ({ input_preview: preview }) => preview),
  text({ id: 'output_preview', title: 'Output', width: 280 }, ({ output_preview: preview }) => preview),
  {
    id: 'status',
    title: 'Status',
    width: 72,
    exported: 'response_status',
    cell: ({ response_status: status, failure }) => <StatusBadge status={status} hasFailed={failure !== null} />,
  },
  text({ id: 'failure', title: 'Failure', width: 150 }, (request) => failureWord(request)),
  text({ id: 'model', title: 'Model', width: 140 }, ({ model }) => model),
  text({ id: 'client', title: 'Client', width: 110 }, ({ client }) => client),
  {
    ...number({ id: 'cost', title: 'Cost', width: 92, sorts: ['costliest'] }, costText),
    cell: (request, _zone, _words, figure) => (isWithoutPrice(request) ? <Badge kind="warning">{figure}</Badge> : figure),
  },
  number({ id: 'latency', title: 'Latency', width: 88, sorts: ['slowest'] }, ({ latency }) => formatDuration(latency)),
  number({ id: 'tokens', title: 'Tokens', width: 88, exported: 'total_tokens', sorts: ['longest'] }, ({ total_tokens: tokens }) =>
    formatCount(tokens),
  ),
  text({ id: 'user', title: 'User', width: 150, exported: 'request_user_id' }, ({ request_user_id: user }) => user),
  text({ id: 'session', title: 'Session', width: 150, exported: 'session_id' }, ({ session_id: session, session_name: name }) =>
    name === null || name === '' ? session : name,
  ),
  text({ id: 'provider', title: 'Provider', width: 110 }, ({ provider }) => provider),
  number({ id: 'ttft', title: 'First token', width: 92, exported: 'time_to_first_token' }, ({ time_to_first_token: time }) =>
    formatDuration(time),
  ),
  number({ id: 'input', title: 'Input tokens', width: 100, exported: 'prompt_tokens' }, ({ prompt_tokens: tokens }) => formatCount(tokens)),
  number({ id: 'output', title: 'Output tokens', width: 100, exported: 'completion_tokens' }, ({ completion_tokens: tokens }) =>
    formatCount(tokens),
  ),
  number({ id: 'size', title: 'Size', width: 84, exported: 'size_bytes' }, ({ size_bytes: bytes }) => formatBytes(bytes)),
  text({ id: 'country', title: 'Country', width: 80, exported: 'country_code' }, ({ country_code: country }) => country),
  text({ id: 'path', title: 'Path', width: 180, exported: 'request_path' }, ({ request_path: path }) => path),
  text({ id: 'client_version', title: 'Client version', width: 110 }, ({ client_version: version }) => version),
  text({ id: 'cached', title: 'Cached', width: 84 }, ({ cached }) => (cached ? 'cached' : '')),
  text({ id: 'feedback', title: 'Feedback', width: 88, exported: 'feedback_rating' }, ({ feedback_rating: rating }) =>
    rating === null ? '' : rating ? 'good' : 'bad',
  ),
  text({ id: 'cost_source', title: 'Cost source', width: 96 }, ({ cost_source: source }) => source),
  text({ id: 'id', title: 'Identifier', width: 280, exported: 'request_id' }, ({ request_id: id }) => id),
];

/** Those that somebody may choose. */
export const ownColumnIds: readonly string[] = own.map(({ id }) => id).filter((id) => id !== 'phone');

/** In view without scrolling in a window of 1,280 pixels. */
const before = ['time', 'words', 'user', 'model', 'cost', 'latency'] as const;
const after = ['client', 'tokens', 'session'] as const;
/** Properties that stand as columns unless somebody chooses. */
const mostProperties = 3;

/** The columns of a list whose columns nobody has chosen: properties that most of its requests have are among them. */
export function standardColumns(requests: readonly RequestItem[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { properties } of requests) {
    for (const name of Object.keys(properties)) if (!isOfService(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const frequent = Array.from(counts).filter(([, count]) => count * 2 > requests.length);
  const names = frequent.toSorted(([left, most], [right, fewer]) => fewer - most || left.localeCompare(right)).map(([name]) => name);
  return [...before, ...names.slice(0, mostProperties).map((name) => propertyPrefix + name), ...after];
}

/** On a phone everything stands in one. */
export const phoneColumns: readonly string[] = ['phone'];

const propertyPrefix = 'properties.';
const scorePrefix = 'scores.';

/** The column of an identifier; undefined: there is none. */
export function columnOf(id: string): Column | undefined {
  const found = own.find((column) => column.id === id);
  if (found !== undefined) return found;
  if (id.startsWith(scorePrefix)) {
    const score = id.slice(scorePrefix.length);
    return number({ id, title: score, width: 100 }, ({ scores }) => {
      const given = ownOf(scores, score);
      return given === undefined ? '' : formatScore(given);
    });
  }
  if (!id.startsWith(propertyPrefix)) return undefined;
  const name = id.slice(propertyPrefix.length);
  return text({ id, title: name, width: 130 }, ({ properties }) => ownOf(properties, name) ?? '');
}

export function columnsOf(ids: readonly string[]): readonly Column[] {
  return ids.map(columnOf).filter((column) => column !== undefined);
}
