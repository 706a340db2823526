import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RequestItem } from '../../../../src/client/client.ts';
import { formatDuration, formatTime, formatTokens } from '../../../lib/format.ts';
import { scoreMetricsOf } from '../../../lib/metrics/score-metrics.ts';
import { promptVersions } from '../../../lib/prompt-versions.ts';
import { timeZone } from '../../../lib/zone.ts';
import { Facts } from '../../../ui/layout/facts.tsx';
import { StatusBadge } from '../../../ui/status-badge.tsx';
import { PropertyLink, UserLink } from '../../../ui/subject-links.tsx';
import { costText, isWithoutPrice } from '../cost-text.ts';
import styles from './detail.module.css';
import { ownProperties } from './properties.tsx';

/** What a reader asks first about a request. */
export function Summary({ request }: { readonly request: RequestItem }): ReactNode {
  const { request_user_id: user, session_id: session, prompt_id: prompt } = request;
  return (
    <Facts
      facts={[
        ['Status', <StatusBadge key="status" status={request.response_status} hasFailed={request.failure !== null} />],
        ['Cost', request.cached ? `${costText(request)}, cached` : costText(request)],
        ['Latency', formatDuration(request.latency)],
        ['Input', tokensText(request.prompt_tokens)],
        ['Output', tokensText(request.completion_tokens)],
        ['Provider', request.provider],
        ['Arrived', <Arrived key="arrived" time={request.request_created_at} />],
        ['User', user === null || user === '' ? null : <UserLink key="user" user={user} />],
        ...(prompt === null || prompt === '' ? [] : [['Prompt', <PromptLink key="prompt" request={request} id={prompt} />] as const]),
        ['Session', session === null || session === '' ? null : <SessionLink key="session" id={session} />],
      ]}
    />
  );
}

/** Properties that stand before the conversation on a phone; the details have them all. */
const shortProperties = 3;

/** On a phone what comes before the conversation has a few short lines. */
export function ShortSummary({ request }: { readonly request: RequestItem }): ReactNode {
  const { request_user_id: user, session_id: session } = request;
  return (
    <p className={styles['short']}>
      <StatusBadge status={request.response_status} hasFailed={request.failure !== null} />
      {(request.cost !== null || isWithoutPrice(request)) && (
        <span>{request.cached ? `${costText(request)}, cached` : costText(request)}</span>
      )}
      <span>{formatDuration(request.latency)}</span>
      <Arrived time={request.request_created_at} />
      {session !== null && session !== '' && (
        <Link to="/sessions/$sessionId" params={{ sessionId: session }}>
          Session
        </Link>
      )}
      {user !== null && user !== '' && <UserLink user={user} />}
      {ownProperties(request.properties)
        .slice(0, shortProperties)
        .map(([name, value]) => (
          <span key={name} className="clip" dir="auto">
            <span className="muted">{name}</span> <PropertyLink {...{ name, value }} />
          </span>
        ))}
    </p>
  );
}

function tokensText(tokens: number | null): string | null {
  return tokens === null ? null : formatTokens(tokens);
}

function Arrived({ time }: { readonly time: string }): ReactNode {
  return (
    <time dateTime={time} title={formatTime(time, timeZone(), true)}>
      {formatTime(time, timeZone())}
    </time>
  );
}

/** Leads to the versions of the prompt beside one another. */
function PromptLink({ request, id }: { readonly request: RequestItem; readonly id: string }): ReactNode {
  const { prompt_version: version } = request;
  const name = version === null || version === '' ? id : `${id} · ${version}`;
  return (
    <Link to="/explore" search={promptVersions(scoreMetricsOf([request]), id)} title={`Compare the versions of ${id}`}>
      {name}
    </Link>
  );
}

function SessionLink({ id }: { readonly id: string }): ReactNode {
  return (
    <Link to="/sessions/$sessionId" params={{ sessionId: id }} title={id}>
      {id}
    </Link>
  );
}
