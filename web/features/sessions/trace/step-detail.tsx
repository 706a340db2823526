import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, type Ref, useEffect } from 'react';
import type { RequestItem } from '../../../../src/client/client.ts';
import { formatCost, formatCount, formatDuration, formatTime } from '../../../lib/format.ts';
import { searchFor } from '../../../lib/search-text.ts';
import { timeZone } from '../../../lib/zone.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Conversation } from '../../../ui/conversation/conversation.tsx';
import { FailureView } from '../../../ui/conversation/failure-view.tsx';
import { Facts } from '../../../ui/layout/facts.tsx';
import { Tabs } from '../../../ui/layout/tabs.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { PageError } from '../../../ui/page-error.tsx';
import { costText } from '../../requests/cost-text.ts';
import { CostTab } from '../../requests/detail/cost-tab.tsx';
import { DetailsTab } from '../../requests/detail/details-tab.tsx';
import { expectEditor } from '../../requests/raw/load-editor.ts';
import { RawTab } from '../../requests/raw/raw-tab.tsx';
import type { StepView } from '../search.ts';
import { cachedShare } from '../usual/figures.ts';
import { KindIcon } from './kind-icon.tsx';
import { hasFailed } from './rows.ts';
import { percent } from './shares.ts';
import { type StepBodies, useStepQuery } from './step-query.ts';
import { kindOf, nameOf } from './step-text.ts';
import type { Step } from './steps.ts';
import styles from './step-detail.module.css';

export interface StepDetailProps {
  readonly step: Step;
  readonly before: Step | undefined;
  /** Steps of the session. */
  readonly total: number;
  readonly sessionCost: number;
  readonly view: StepView;
  readonly onView: (view: StepView) => void;
  readonly ref: Ref<HTMLHeadingElement>;
}

/** One step beside the list: why it failed, what it took, what was said. */
export function StepDetail({ step, before, total, sessionCost, view, onView, ref }: StepDetailProps): ReactNode {
  const { request } = step;
  const { data, error } = useQuery(useStepQuery(request, before?.request));
  useEffect(() => {
    if (view === 'raw') expectEditor();
  }, [view]);
  return (
    <>
      <header className={styles['head']}>
        <KindIcon kind={kindOf(request)} hasFailed={hasFailed(step)} />
        <h2 ref={ref} tabIndex={-1} className="clip" dir="auto">
          {nameOf(request)}
        </h2>
        {hasFailed(step) && <Badge kind="bad">failed</Badge>}
        {request.cached && <Badge kind="plain">cached</Badge>}
        <span className="muted">
          step {formatCount(step.number)} of {formatCount(total)}
        </span>
      </header>
      <FailureView request={request} answered={[]} />
      <Facts facts={factsOf(step, sessionCost)} />
      {error !== null ? (
        <PageError error={error} />
      ) : data === undefined ? (
        <Loading what="Loading the step" />
      ) : (
        <Views key={request.request_id} {...{ data, view, onView }} />
      )}
    </>
  );
}

function factsOf({ request }: Step, sessionCost: number): readonly (readonly [string, ReactNode])[] {
  const { cost, prompt_tokens: input, completion_tokens: output, session_path: path } = request;
  const cached = cachedShare(request);
  return [
    ['Latency', formatDuration(request.latency)],
    ['Cost', cost !== null && cost > 0 && sessionCost > 0 ? `${formatCost(cost)}, ${percent(cost / sessionCost)}` : costText(request)],
    ['Input', input === null ? null : tokens(input)],
    ['Cached input', cached === null ? null : percent(cached)],
    ['Output', output === null ? null : tokens(output)],
    ['Time', formatTime(request.request_created_at, timeZone())],
    ...(path === null || path === '' ? [] : [['Path', path] as const]),
    ['More', <RequestLink key="more" request={request} />],
  ];
}

function tokens(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'token' : 'tokens'}`;
}

function RequestLink({ request: { request_id: request, session_id: session } }: { readonly request: RequestItem }): ReactNode {
  return (
    <Link to="/requests" search={{ request, range: 'all', q: searchFor('session', session ?? '') }}>
      Open in Requests
    </Link>
  );
}

interface ViewsProps {
  readonly data: StepBodies;
  readonly view: StepView;
  readonly onView: (view: StepView) => void;
}

function Views({ data: { request, before }, view, onView }: ViewsProps): ReactNode {
  const raw = <Button onPress={() => onView('raw')}>View raw</Button>;
  return (
    <Tabs
      label="Views of the step"
      selected={view}
      onSelect={onView}
      tabs={[
        {
          id: 'conversation',
          title: 'Conversation',
          content: () => <Conversation request={request} before={before} raw={raw} isFailureTold />,
        },
        { id: 'raw', title: 'Raw', content: () => <RawTab request={request} /> },
        { id: 'details', title: 'Details', content: () => <DetailsTab request={request} /> },
        { id: 'cost', title: 'Cost', content: () => <CostTab request={request} /> },
      ]}
    />
  );
}
