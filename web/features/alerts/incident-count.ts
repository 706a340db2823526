import { formatCount, formatTime } from '../../lib/format.ts';

export interface CountedIncidents {
  readonly incidents: readonly { readonly ended_at: string | null }[];
  /** Start of the span, Unix milliseconds. */
  readonly from: number;
  /** When the rule was stored. */
  readonly madeAt: string;
  /** Such as "the last 7 days". */
  readonly span: string;
  readonly zone: string;
}

/** How many incidents a rule had; one that is younger than the span measured nothing before. */
export function countText({ incidents, from, madeAt, span, zone }: CountedIncidents): string {
  const within = incidents.filter(({ ended_at: end }) => end === null || Date.parse(end) > from).length;
  const count = within === 0 ? 'No incident' : `${formatCount(within)} ${within === 1 ? 'incident' : 'incidents'}`;
  if (Date.parse(madeAt) <= from) return `${count} in ${span}`;
  return `${count} in ${span}; the rule was made ${formatTime(madeAt, zone)}`;
}
