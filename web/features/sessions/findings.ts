import type { RequestItem, SessionItem, SessionNode } from '../../../src/client/client.ts';
import { formatCost, formatCount } from '../../lib/format.ts';
import type { SessionSearch } from './search.ts';
import { percent } from './trace/shares.ts';

/** A sentence about the cost of a session, and where its page shows that it is so. */
export interface Finding {
  readonly text: string;
  readonly show: { readonly title: string; readonly search: SessionSearch };
}

interface Loaded {
  readonly session: Pick<SessionItem, 'total_cost' | 'total_requests'>;
  readonly tree: readonly SessionNode[];
  /** Those that are loaded, the oldest first. */
  readonly requests: readonly RequestItem[];
}

const leastRequests = 3;
const mostOfCost = 0.5;
const muchOfCost = 0.25;
const grownBy = 2;
/** How many times larger the input is behind a jump, and how much of its growth that is. */
const jumped = { by: 3, share: 0.6 } as const;
/** How much larger a share of the cost is than that of the requests, where the place or the model says why. */
const outOfProportion = 1.2;
/** Steps that repeat an answer, of which one speaks; a shorter text is said twice by chance. */
const repeats = { least: 5, share: 0.25, shortest: 20 } as const;

/** Where the cost of a session went, by what stands out; a session of few requests needs no words. */
export function findingsOf({ session, tree, requests }: Loaded): readonly Finding[] {
  const { total_cost: cost, total_requests: count } = session;
  if (cost <= 0 || count < leastRequests) return [];
  const place = placeFinding(tree, session);
  // What is said of single requests holds only of all of them.
  if (requests.length < count) return place;
  const some = [modelFinding, repeatFinding, growthFinding, mostExpensiveFinding];
  return [...place, ...some.flatMap((find) => find(requests, cost))];
}

/** The narrowest place of the tree with most of the cost. */
function placeFinding(tree: readonly SessionNode[], { total_cost: cost, total_requests: count }: Loaded['session']): readonly Finding[] {
  let found: SessionNode | undefined;
  for (let level = tree; ;) {
    const most = level.find(({ totals }) => totals.cost > mostOfCost * cost);
    if (most === undefined) break;
    found = most;
    level = most.children;
  }
  if (found === undefined) return [];
  const { path, totals } = found;
  // A place with nearly all requests is the session itself.
  if (totals.cost / cost < (outOfProportion * totals.requests) / count) return [];
  const text = `${percent(totals.cost / cost)} of the cost is at ${path}, with ${formatCount(totals.requests)} of ${stepsText(count)}.`;
  return [{ text, show: { title: 'Show the steps there', search: { find: path } } }];
}

function modelFinding(requests: readonly RequestItem[], cost: number): readonly Finding[] {
  const names = [...new Set(requests.map(({ model }) => model))];
  for (const name of names.length < 2 ? [] : names) {
    const own = requests.filter(({ model }) => model === name);
    const share = sum(own.map(costOf)) / cost;
    if (share <= mostOfCost || share < (outOfProportion * own.length) / requests.length) continue;
    const text = `${name} made ${percent(share)} of the cost with ${formatCount(own.length)} of ${stepsText(requests.length)}.`;
    return [{ text, show: { title: 'Show its steps', search: { find: name } } }];
  }
  return [];
}

/** Steps whose answer an earlier one gave, with other numbers at most: an agent that goes round in circles. */
function repeatFinding(requests: readonly RequestItem[], cost: number): readonly Finding[] {
  const said = new Set<string>();
  const again = requests.filter(({ output_preview: output, failure }) => {
    if (output === null || failure !== null || output.length < repeats.shortest) return false;
    const text = output.replaceAll(/\d+/g, '0');
    if (said.has(text)) return true;
    said.add(text);
    return false;
  });
  const [first] = again;
  if (first === undefined || again.length < Math.max(repeats.least, repeats.share * requests.length)) return [];
  const spent = sum(again.map(costOf));
  const text = `${formatCount(again.length)} of ${stepsText(requests.length)} repeat an earlier answer (numbers aside): ${percent(spent / cost)} of the cost.`;
  return [{ text, show: { ...stepOf(first, requests), title: 'Show the first repeat' } }];
}

/** Between the first third of the requests and the last; the sentence has the tokens of single ones, which its link shows. */
function growthFinding(requests: readonly RequestItem[]): readonly Finding[] {
  const some = requests.filter(({ prompt_tokens: tokens }) => tokens !== null && tokens > 0);
  const inputs = some.map(({ prompt_tokens: tokens }) => tokens ?? 0);
  const third = Math.floor(inputs.length / 3);
  const largest = some[inputs.indexOf(Math.max(...inputs.slice(-third)))];
  if (third === 0 || largest === undefined) return [];
  const [first, last] = [mean(inputs.slice(0, third)), mean(inputs.slice(-third))];
  if (last < grownBy * first) return [];
  const jump = jumpIn(some, requests);
  if (jump !== undefined) return [jump];
  const [begun, grown] = [inputs[0] ?? 0, largest.prompt_tokens ?? 0];
  // One large request at the beginning may stand before small ones.
  if (grown < grownBy * begun) return [];
  const from = `${formatCount(begun)} tokens in step ${numberOf(some[0], requests)}`;
  const to = `${formatCount(grown)} in step ${numberOf(largest, requests)}`;
  return [
    {
      text: `The input grew from ${from} to ${to}, often because each turn sends the whole conversation again.`,
      show: stepOf(largest, requests),
    },
  ];
}

/** A step that brought most of the input, which the steps behind it send again: a file or a mailbox in the conversation. */
function jumpIn(some: readonly RequestItem[], requests: readonly RequestItem[]): Finding | undefined {
  const inputs = some.map(({ prompt_tokens: tokens }) => tokens ?? 0);
  const grown = inputs.map((input, index) => input - (inputs[index - 1] ?? input));
  const at = grown.indexOf(Math.max(...grown));
  const [before, after, step] = [inputs[at - 1], inputs[at], some[at]];
  if (before === undefined || after === undefined || step === undefined) return undefined;
  const isSentAgain = inputs.slice(at + 1).every((input) => input > before + (after - before) / 2);
  const isMost = after - before >= jumped.share * (Math.max(...inputs) - Math.min(...inputs));
  if (after < jumped.by * before || !isMost || !isSentAgain) return undefined;
  const behind = inputs.length - at - 1;
  const again =
    behind === 0 ? '' : `, and ${behind === 1 ? 'the step' : `each of the ${formatCount(behind)} steps`} behind it sends that again`;
  return {
    text: `The input jumped from ${formatCount(before)} to ${formatCount(after)} tokens with one step${again}.`,
    show: stepOf(step, requests),
  };
}

function mostExpensiveFinding(requests: readonly RequestItem[], cost: number): readonly Finding[] {
  const mostExpensive = requests.reduce((first, second) => (costOf(second) > costOf(first) ? second : first));
  if (costOf(mostExpensive) <= muchOfCost * cost) return [];
  const text = `One step cost ${formatCost(costOf(mostExpensive))}, ${percent(costOf(mostExpensive) / cost)} of the session.`;
  return [{ text, show: stepOf(mostExpensive, requests) }];
}

function stepOf(request: RequestItem, requests: readonly RequestItem[]): Finding['show'] {
  return { title: `Show step ${numberOf(request, requests)}`, search: { step: request.request_id } };
}

/** Of a step as the list counts them. */
function numberOf(request: RequestItem | undefined, requests: readonly RequestItem[]): string {
  return formatCount(requests.findIndex((one) => one === request) + 1);
}

const costOf = ({ cost }: RequestItem): number => cost ?? 0;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;
const stepsText = (count: number): string => `${formatCount(count)} ${count === 1 ? 'step' : 'steps'}`;
