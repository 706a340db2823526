import type { ReactNode } from 'react';
import type { RequestItem } from '../../../../src/client/client.ts';
import { formatBytes, formatCost, formatCount, formatDuration, formatTime } from '../../../lib/format.ts';
import { ownOf } from '../../../lib/own.ts';
import { StatusBadge } from '../../../ui/status-badge.tsx';

/** A column of the list. */
export interface Column {
  /** As it stands in the address. */
  readonly id: string;
  readonly title: string;
  /** Pixels, unless somebody has sized the column. */
  readonly width: number;
  readonly isNumber?: true;
  readonly cell: (request: RequestItem, zone: string) => ReactNode;
  /** The text of a cell that is cut. */
  readonly textOf?: (request: RequestItem) => string;
  /** Of an export. */
  readonly exported: string;
}

interface Source {
  readonly id: string;
  readonly title: string;
  readonly width: number;
  /** Column of an export; absent: the identifier. */
  readonly exported?: string;
}

function text({ exported, ...source }: Source, read: (request: RequestItem) => string | null | undefined): Column {
  return { ...source, exported: exported ?? source.id, cell: (request) => read(request) ?? '', textOf: (request) => read(request) ?? '' };
}

function number({ exported, ...source }: Source, read: (request: RequestItem) => string): Column {
  return { ...source, exported: exported ?? source.id, isNumber: true, cell: read };
}

/** Those that every request has. */
const own: readonly Column[] = [
  {
    id: 'time',
    title: 'Time',
    width: 132,
    exported: 'request_created_at',
    cell: (request, zone) => formatTime(request.request_created_at, zone),
  },
  {
    id: 'status',
    title: 'Status',
    width: 72,
    exported: 'response_status',
    cell: ({ response_status: status }) => <StatusBadge status={status} />,
  },
  text({ id: 'model', title: 'Model', width: 190 }, ({ model }) => model),
  number({ id: 'cost', title: 'Cost', width: 100 }, ({ cost }) => formatCost(cost)),
  number({ id: 'latency', title: 'Latency', width: 88 }, ({ latency }) => formatDuration(latency)),
  number({ id: 'tokens', title: 'Tokens', width: 88, exported: 'total_tokens' }, ({ total_tokens: tokens }) => formatCount(tokens)),
  text({ id: 'user', title: 'User', width: 150, exported: 'request_user_id' }, ({ request_user_id: user }) => user),
  text({ id: 'session', title: 'Session', width: 150, exported: 'session_id' }, ({ session_id: session }) => session),
  text({ id: 'provider', title: 'Provider', width: 110 }, ({ provider }) => provider),
  number({ id: 'ttft', title: 'First token', width: 92, exported: 'time_to_first_token' }, ({ time_to_first_token: time }) =>
    formatDuration(time),
  ),
  number({ id: 'input', title: 'Input', width: 84, exported: 'prompt_tokens' }, ({ prompt_tokens: tokens }) => formatCount(tokens)),
  number({ id: 'output', title: 'Output', width: 84, exported: 'completion_tokens' }, ({ completion_tokens: tokens }) =>
    formatCount(tokens),
  ),
  number({ id: 'size', title: 'Size', width: 84, exported: 'size_bytes' }, ({ size_bytes: bytes }) => formatBytes(bytes)),
  text({ id: 'country', title: 'Country', width: 80, exported: 'country_code' }, ({ country_code: country }) => country),
  text({ id: 'path', title: 'Path', width: 180, exported: 'request_path' }, ({ request_path: path }) => path),
  text({ id: 'cost_source', title: 'Cost from', width: 96 }, ({ cost_source: source }) => source),
  text({ id: 'id', title: 'Identifier', width: 280, exported: 'request_id' }, ({ request_id: id }) => id),
];

export const ownColumnIds: readonly string[] = own.map(({ id }) => id);

export const standardColumns: readonly string[] = ['time', 'status', 'model', 'cost', 'latency', 'tokens', 'user', 'session'];

const propertyPrefix = 'properties.';

/** The column of an identifier; undefined: there is none. */
export function columnOf(id: string): Column | undefined {
  const found = own.find((column) => column.id === id);
  if (found !== undefined || !id.startsWith(propertyPrefix)) return found;
  const name = id.slice(propertyPrefix.length);
  return text({ id, title: name, width: 130 }, ({ properties }) => ownOf(properties, name) ?? '');
}

export function columnsOf(ids: readonly string[]): readonly Column[] {
  return ids.map(columnOf).filter((column) => column !== undefined);
}
