import { printable } from '../../config/text-table.ts';
import type { RequestItem } from '../../client/client.ts';
import { cut, padded } from '../terminal/cells.ts';
import { type Paint, statusColour } from '../base/paint.ts';
import { lengthText, notPriced, requestCostText } from '../terminal/texts.ts';

export interface LineOptions {
  /** Width of the terminal; undefined: lines are as long as they are. */
  readonly columns: number | undefined;
  readonly clock: WallClock;
  readonly paint: Paint;
}

const gap = '  ';
const [narrow, wide] = [16, 28] as const;
const costWidth = notPriced.length;
/** From this width on a model has more room. */
const wideColumns = 100;

/** One request in one line: time, status, model, latency, cost, and what its caller said of it. No text of it can move the cursor. */
export function requestLine(request: RequestItem, { columns, clock, paint }: LineOptions): string {
  const modelWidth = (columns ?? wideColumns) < wideColumns ? narrow : wide;
  const model = printable(request.model);
  const time = clock.timeOf(request.request_created_at);
  const status = String(request.response_status).padStart(3);
  const cells = [
    padded(columns === undefined ? model : cut(model, modelWidth), modelWidth),
    lengthText(request.latency).padStart(7),
    requestCostText(request).padStart(costWidth),
    restOf(request),
  ].join(gap);
  const colour = statusColour(request.response_status);
  const begin = paint('dim', time) + gap + (colour === undefined ? status : paint(colour, status)) + gap;
  const taken = time.length + status.length + 2 * gap.length;
  return begin + (columns === undefined ? cells : cut(cells, columns - taken)).trimEnd();
}

/** Days and times as clocks of a place show them. */
export interface WallClock {
  readonly dayOf: (at: string) => string;
  readonly timeOf: (at: string) => string;
}

export function wallClock(timezone: string): WallClock {
  const day = new Intl.DateTimeFormat('sv', { timeZone: timezone });
  const time = new Intl.DateTimeFormat('sv', { timeZone: timezone, timeStyle: 'medium' });
  return { dayOf: (at) => day.format(new Date(at)), timeOf: (at) => time.format(new Date(at)) };
}

/** `@user #session/path Name=value`, and what is special about the answer. */
function restOf(request: RequestItem): string {
  const { request_user_id: user, session_id: session, session_path: path } = request;
  const words = [
    ...(request.cached ? ['cached'] : []),
    ...(user === '' ? [] : [`@${user}`]),
    ...(session === null ? [] : [`#${session}${path === null || path === '/' ? '' : path}`]),
    ...Object.entries(request.properties)
      .filter(([name]) => !/^(?:svc|helicone)-/i.test(name))
      .map(([name, value]) => `${name}=${value}`),
  ];
  return printable(words.join(' '));
}
