import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import type { Alert, AlertPreviewAnswer, NewAlert } from '../../../src/client/client.ts';
import { gatelog } from '../../lib/client.ts';
import { timeZone } from '../../lib/zone.ts';
import { Section } from '../../ui/layout/page.tsx';
import { Loading } from '../../ui/loading.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';
import { Select } from '../../ui/select.tsx';
import { UnpricedNotice } from '../../ui/unpriced-notice.tsx';
import type { Names } from './group-text.ts';
import { distinctNames } from './session-names.ts';
import { incidentsQuery } from './alerts-query.ts';
import { countText } from './incident-count.ts';
import { spanOptions, spans } from './rule/preview.tsx';
import { RuleChart } from './rule/rule-chart.tsx';

const standardSpan: Span = '7';
const dayMs = 86_400_000;
const refetchMs = 60_000;

/** What the rule measured, its threshold, and the incidents that it had. */
export function AlertChart({ alert }: { readonly alert: Alert }): ReactNode {
  const [span, setSpan] = useState(standardSpan);
  const incidents = useQuery(incidentsQuery(alert.id));
  const { data, error } = useQuery(courseOf(alert, span));
  const names = useNames(data?.answer);
  const failure = error ?? incidents.error;
  return (
    <Section
      title="Value and incidents"
      about={
        data === undefined
          ? undefined
          : countText({ incidents: incidents.data ?? [], from: data.from, madeAt: alert.created_at, span: spans[span], zone: timeZone() })
      }
      actions={<Select label="Span of the chart" value={span} options={spanOptions} onChange={setSpan} />}
    >
      {failure !== null ? (
        <ErrorNotice error={failure} />
      ) : data === undefined ? (
        <Loading what="Loading the chart" />
      ) : data.answer.series.length === 0 ? (
        <p className="muted">No request of {spans[span]} matches this rule.</p>
      ) : (
        <>
          <UnpricedNotice unpriced={data.answer.unpriced} />
          <RuleChart
            rule={alert}
            series={data.answer.series}
            incidents={incidents.data ?? []}
            from={data.from}
            to={data.to}
            height={240}
            names={names}
          />
        </>
      )}
    </Section>
  );
}

type Span = keyof typeof spans;

function courseOf(alert: Alert, span: Span) {
  return queryOptions({
    queryKey: ['alerts', alert.id, 'course', alert.updated_at, span],
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs,
    retry: false,
    queryFn: async ({ signal }) => {
      const to = Date.now();
      const from = to - Number(span) * dayMs;
      const timeFilter = { startTimeUnixMs: from, endTimeUnixMs: to };
      const { data: answer } = await gatelog.alerts.preview({ rule: ruleOf(alert), timeFilter }, { signal });
      return { answer, from, to };
    },
  });
}

/** The names of the sessions of a rule, as its chart got them. */
export function useSessionNames(alert: Alert): Names | undefined {
  return useNames(useQuery(courseOf(alert, standardSpan)).data?.answer);
}

function useNames(answer: Pick<AlertPreviewAnswer, 'session_names'> | undefined): Names | undefined {
  return useMemo(() => (answer === undefined ? undefined : distinctNames(answer.session_names)), [answer]);
}

/** What is measured: a preview stores and sends nothing. */
function ruleOf(alert: Alert): NewAlert {
  const { id: _id, status: _status, channels: _channels, created_at: _made, updated_at: _changed, offered: _offered, ...rule } = alert;
  return rule;
}
