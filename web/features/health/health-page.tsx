import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ServiceHealth } from '../../../src/client/types/dashboard.ts';
import { gatelog } from '../../lib/client.ts';
import { formatTime } from '../../lib/format.ts';
import { timeZone } from '../../lib/zone.ts';
import { Badge } from '../../ui/badge.tsx';
import { Facts } from '../../ui/layout/facts.tsx';
import { Page, Section } from '../../ui/layout/page.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { adviceOf } from './advice.ts';
import { degradedText, failingText } from './fault-text.ts';
import { HealthCharts } from './health-charts.tsx';
import { sectionsOf } from './sections.ts';

const refetchMs = 10_000;

const healthQuery = queryOptions({
  queryKey: ['health'],
  refetchInterval: refetchMs,
  queryFn: async ({ signal }) => (await gatelog.health.get({ signal })).data,
});

/** Whether all that was answered gets recorded, and how far behind it is. */
export function HealthPage(): ReactNode {
  const { data, error } = useQuery(healthQuery);
  if (error !== null) return <PageError error={error} page={{ what: 'Health', back: { to: '/', title: 'Overview' } }} />;
  if (data === undefined) return <Loading what="Asking the service" />;
  return (
    <Page title="Health" about={<Verdict health={data} />}>
      {data.failing.map((part) => (
        <Notice key={part} kind="danger">
          {failingText(part)}
        </Notice>
      ))}
      {data.degraded.map((part) => (
        <Notice key={part} kind="warning">
          {degradedText(part)}
        </Notice>
      ))}
      {adviceOf(data).map((text) => (
        <Notice key={text} kind="warning">
          {text}
        </Notice>
      ))}
      <HealthCharts history={data.history} spoolMaxBytes={data.spool.max_bytes} />
      {sectionsOf(data).map(({ title, about, facts }) => (
        <Section key={title} title={title} about={about}>
          <Facts facts={facts} />
        </Section>
      ))}
    </Page>
  );
}

function Verdict({ health: { status, degraded, measured_at: at } }: { readonly health: ServiceHealth }): ReactNode {
  const kind = status === 'unavailable' ? 'bad' : degraded.length > 0 ? 'warning' : 'good';
  return (
    <>
      <Badge kind={kind}>{status === 'unavailable' ? 'unavailable' : degraded.length > 0 ? 'degraded' : 'healthy'}</Badge> at{' '}
      {formatTime(at, timeZone())}
    </>
  );
}
