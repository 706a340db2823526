import type { RequestItem, SessionAnswer, SessionItem } from '../../client/client.ts';
import { serviceClient } from '../base/client.ts';
import type { CommandDependencies } from '../base/dependencies.ts';
import { detailsText } from '../terminal/details.ts';
import { jsonText } from '../base/json.ts';
import { paintOf, writeLines } from '../terminal/shown.ts';
import { type Column, layoutOf, tableText } from '../terminal/table.ts';
import { type Clock, countText, lengthText, momentText, propertiesText } from '../terminal/texts.ts';
import { checkedZone } from '../base/time-window.ts';
import { sumText, type TreeRow, treeRows } from './tree.ts';

export interface SessionsShowOptions {
  readonly nodes?: true;
  readonly limit: number;
  readonly includeBody?: true;
  readonly timezone?: string;
  readonly json?: true;
}

/** Requests of one answer: the service sends bodies in smaller parts. */
const partLimits = { withBodies: 100, without: 1000 } as const;

/** `gatelog sessions show`: a session with its tree. */
export async function showSession(dependencies: CommandDependencies, id: string, options: SessionsShowOptions): Promise<void> {
  const clock = { now: dependencies.now(), timezone: checkedZone(options.timezone ?? 'UTC') };
  const answer = await wholeSession(dependencies, id, options);
  if (options.json === true) return writeLines(dependencies, [jsonText(answer, 2)]);
  const { session, requests, tree } = answer;
  const paint = paintOf(dependencies);
  const rows = treeRows(tree, {
    requests: new Map(requests.map((item) => [item.request_id, item])),
    showsRequests: options.nodes !== true,
  });
  const layout = layoutOf(columnsOf(clock), rows, dependencies.columns);
  await writeLines(dependencies, [detailsText(detailsOf(session, answer, clock), paint), '', tableText(layout, rows, paint)]);
  if (requests.length < session.total_requests) {
    const [shown, all] = [countText(requests.length), countText(session.total_requests)];
    dependencies.hint(
      `Statuses, models and requests are of the first ${shown} of ${all} requests; --limit ${session.total_requests} shows all.`,
    );
  }
}

/** The session with as many of its requests as the options say. */
async function wholeSession(dependencies: CommandDependencies, id: string, options: SessionsShowOptions): Promise<SessionAnswer> {
  const { sessions } = serviceClient(dependencies);
  const includeBody = options.includeBody === true && options.json === true;
  const partLimit = includeBody ? partLimits.withBodies : partLimits.without;
  const requests: RequestItem[] = [];
  const trees: SessionAnswer[] = [];
  for (let cursor: string | undefined; ;) {
    const limit = Math.min(partLimit, options.limit - requests.length);
    const part = await sessions.get(id, { limit, cursor, includeBody });
    for (const sentence of part.warnings) dependencies.hint(sentence);
    requests.push(...part.data.requests);
    trees.push(part.data);
    cursor = part.nextCursor;
    if (cursor === undefined || requests.length >= options.limit) break;
  }
  const [first] = trees;
  if (first === undefined) throw new TypeError('A session has at least one part.');
  return { ...first, requests, tree: joinedTrees(trees) };
}

/** Each part names the requests at a node that are in it. */
function joinedTrees(parts: readonly SessionAnswer[]): SessionAnswer['tree'] {
  const [first, ...others] = parts;
  const ids = new Map<string, string[]>();
  const add = (nodes: SessionAnswer['tree']): void => {
    for (const { path, request_ids: own, children } of nodes) {
      ids.set(path, [...(ids.get(path) ?? []), ...own]);
      add(children);
    }
  };
  if (others.length === 0) return first?.tree ?? [];
  for (const { tree } of parts) add(tree);
  const joined = (nodes: SessionAnswer['tree']): SessionAnswer['tree'] =>
    nodes.map((node) => ({ ...node, request_ids: ids.get(node.path) ?? [], children: joined(node.children) }));
  return joined(first?.tree ?? []);
}

function detailsOf(session: SessionItem, { tree, requests }: SessionAnswer, clock: Clock) {
  const duration = tree[0]?.totals.duration ?? null;
  const { total_requests: count, user_ids: users } = session;
  return [
    ['Session', session.session_id],
    ['Name', session.session_name],
    ['Tag', session.session_tag ?? undefined],
    ['Time', `${momentText(session.created_at, clock)} ${clock.timezone}, ${lengthText(duration)}`],
    ['Requests', countText(count)],
    ['Cost', sumText(session.total_cost, requests)],
    ['Tokens', `${countText(session.prompt_tokens)} in, ${countText(session.completion_tokens)} out`],
    ['Users', users.join(', ')],
    ['Properties', propertiesText(session.properties)],
  ] as const;
}

/** In the order in which a narrow terminal shows them. */
function columnsOf(clock: Clock): readonly Column<TreeRow>[] {
  return [
    { title: 'NODE', text: ({ lead, name }) => lead + name, minWidth: 24, keep: 72, isDrawn: true },
    { title: 'COST', text: ({ cost }) => cost, side: 'right' },
    { title: 'TIME', text: ({ durationMs }) => lengthText(durationMs), side: 'right' },
    { title: 'STATUS', text: ({ status }) => status, colour: ({ isFailed }) => (isFailed ? 'red' : undefined) },
    { title: 'MODEL', text: ({ models }) => (models.length === 0 ? '-' : models.join(', ')), minWidth: 8, maxWidth: 40 },
    { title: 'REQUESTS', text: ({ requests }) => (requests === null ? '' : countText(requests)), side: 'right', from: 100 },
    { title: 'AT', text: ({ at }) => momentText(at, clock), from: 110 },
  ];
}
