import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import type { AlertPreviewAnswer, NewAlert } from '../../../../src/client/client.ts';
import { gatelog } from '../../../lib/client.ts';
import { formatAmount, formatCount, formatDuration, formatTime } from '../../../lib/format.ts';
import { type Nothing, whyNothing } from '../../../lib/on-record.ts';
import { useSettled } from '../../../lib/use-settled.ts';
import { timeZone } from '../../../lib/zone.ts';
import { Loading } from '../../../ui/loading.tsx';
import { ErrorNotice, Notice } from '../../../ui/notice.tsx';
import { UnpricedNotice } from '../../../ui/unpriced-notice.tsx';
import { Select } from '../../../ui/select.tsx';
import { groupText } from '../group-text.ts';
import { measureFormat } from '../measure-text.ts';
import { distinctNames } from '../session-names.ts';
import { RuleChart } from './rule-chart.tsx';
import styles from './rule.module.css';

/** Spans over which a rule is run. */
export const spans = { '1': 'the last 24 hours', '7': 'the last 7 days', '30': 'the last 30 days' } as const;
export const spanOptions = Object.entries(spans).map(([value, label]) => ({
  value: value as keyof typeof spans,
  label: `${label.slice(4, 5).toUpperCase()}${label.slice(5)}`,
}));
const day = 86_400_000;

/** What a rule would have done, drawn again while one types. */
export function Preview({ rule }: { readonly rule: NewAlert | undefined }): ReactNode {
  const [span, setSpan] = useState<keyof typeof spans>('7');
  const typed = useSettled(
    rule === undefined ? undefined : JSON.stringify({ ...rule, name: undefined, channels: undefined, enforce: undefined }),
  );
  const { data, error, isFetching } = useQuery({
    queryKey: ['alert preview', typed, span],
    enabled: typed !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: async ({ signal }) => {
      const now = Date.now();
      const timeFilter = { startTimeUnixMs: now - Number(span) * day, endTimeUnixMs: now };
      const asked = JSON.parse(typed ?? '{}') as NewAlert;
      const { data: answer } = await gatelog.alerts.preview({ rule: asked, timeFilter }, { signal });
      const mayBeNothing = answer.series.every(({ value }) => value === null || value === 0);
      const range = { from: timeFilter.startTimeUnixMs, to: now };
      const nothing = mayBeNothing ? await whyNothing(asked.filter ?? undefined, range, signal) : undefined;
      return { answer, timeFilter, nothing };
    },
  });
  return (
    <section className={styles['preview']} aria-label="Preview">
      <header className={styles['head']}>
        <h2>Preview</h2>
        <Select label="Span of the preview" value={span} options={spanOptions} onChange={setSpan} />
      </header>
      {rule === undefined ? (
        <p className="muted">Enter a threshold to see when the rule would have fired.</p>
      ) : error !== null ? (
        <ErrorNotice error={error} />
      ) : data === undefined ? (
        <Loading what="Running the rule" />
      ) : (
        <div aria-busy={isFetching}>
          <Outcome rule={rule} {...data} span={spans[span]} />
        </div>
      )}
    </section>
  );
}

interface OutcomeProps {
  readonly rule: NewAlert;
  readonly answer: AlertPreviewAnswer;
  readonly timeFilter: { readonly startTimeUnixMs: number; readonly endTimeUnixMs: number };
  readonly span: string;
  readonly nothing: Nothing | undefined;
}

function Outcome({ rule, answer, timeFilter: { startTimeUnixMs: start, endTimeUnixMs: end }, span, nothing }: OutcomeProps): ReactNode {
  const { incidents, exact: isExact, step_ms: stepMs, groups_left_out: leftOut, unpriced } = answer;
  const names = useMemo(() => distinctNames(answer.session_names), [answer.session_names]);
  const format = measureFormat(rule.metric, rule.baseline !== null && rule.baseline !== undefined);
  return (
    <>
      <p className={styles['verdict']}>
        {incidents.length === 0 ? `It would not have fired in ${span}.` : `It would have fired ${timesText(incidents.length)} in ${span}.`}
      </p>
      {nothing !== undefined && (
        <Notice kind="warning">
          No request of {span} matches this rule{nothing.hint === undefined ? '.' : `: ${nothing.hint}.`}
        </Notice>
      )}
      <UnpricedNotice unpriced={unpriced} />
      <RuleChart rule={rule} series={answer.series} incidents={incidents} from={start} to={end} height={220} names={names} />
      <ul className={styles['incidents']} aria-label="Incidents of the preview">
        {incidents.slice(0, 10).map(({ group, started_at: started, ended_at: ended, peak }) => (
          <li key={started + JSON.stringify(group)} className="clip" dir="auto">
            {formatTime(started, timeZone())} – {ended === null ? 'now' : formatTime(ended, timeZone())} ·{' '}
            {Object.keys(group).length > 0 && `${groupText(group, names)} · `}peak {format(peak)}
          </li>
        ))}
        {incidents.length > 10 && <li className="muted">and {formatCount(incidents.length - 10)} more</li>}
      </ul>
      {(!isExact || leftOut > 0) && (
        <p className="muted">
          The preview evaluates every {formatDuration(stepMs)}; the rule itself every 10 s.
          {leftOut > 0 && ` ${formatAmount(leftOut, 'group')} with fewer requests ${leftOut === 1 ? 'was' : 'were'} left out.`}
        </p>
      )}
    </>
  );
}

function timesText(count: number): string {
  return count === 1 ? 'once' : `${formatCount(count)} times`;
}
