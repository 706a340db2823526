import { type Filter, where } from '../../client/client.ts';
import type { Clock } from '../terminal/texts.ts';
import { timeOf } from '../base/time-window.ts';

export interface Window {
  readonly startDate?: string;
  readonly endDate?: string;
}

/** The conditions of a half-open span. */
export function windowOf({ startDate, endDate }: Window, clock: Clock): readonly Filter[] {
  const at = (option: string, text: string): Date => new Date(timeOf(text, { option, ...clock }));
  return [
    ...(startDate === undefined ? [] : [where('request_created_at', 'gte', at('--since', startDate))]),
    ...(endDate === undefined ? [] : [where('request_created_at', 'lt', at('--until', endDate))]),
  ];
}
