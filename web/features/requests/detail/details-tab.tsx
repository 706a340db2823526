import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RequestItem } from '../../../../src/client/client.ts';
import { formatBytes, formatCount, formatDuration, formatTime } from '../../../lib/format.ts';
import { timeZone } from '../../../lib/zone.ts';
import { Facts } from '../../../ui/layout/facts.tsx';
import { StatusBadge } from '../../../ui/status-badge.tsx';
import { type DataColumn, DataTable } from '../../../ui/table/data-table.tsx';
import { JsonText } from '../../../ui/conversation/long-text.tsx';
import styles from './detail.module.css';
import { finishReasonOf } from './finish-reason.ts';
import { ownProperties, serviceProperties } from './properties.tsx';
import { spansOf, tokensPerSecond } from './timing.ts';

/** How a call went, what it used, and what its headers said. */
export function DetailsTab({ request }: { readonly request: RequestItem }): ReactNode {
  return (
    <div className={styles['tab']}>
      <Timing request={request} />
      <Part title="Call">
        <Facts facts={callFacts(request)} />
      </Part>
      {request.attempts !== null && (
        <Part title="Attempts">
          <DataTable
            label="Attempts in their order"
            columns={attemptColumns}
            rows={request.attempts.map((attempt, index) => ({ ...attempt, number: index + 1 }))}
            keyOf={({ number }) => String(number)}
          />
        </Part>
      )}
      <Part title="Tokens">
        <Facts facts={tokenFacts(request)} />
        {request.usage_raw !== null && (
          <details className={styles['usage']}>
            <summary>Usage as the provider sent it</summary>
            <JsonText value={request.usage_raw} />
          </details>
        )}
      </Part>
      <Part title="Properties of the caller">
        <Facts facts={ownProperties(request.properties)} />
      </Part>
      <Part title="Recorded headers">
        <p className="muted">Of headers, only these, properties and the user are recorded.</p>
        <Facts facts={headerFacts(request)} />
      </Part>
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <section className={styles['part']} aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Timing({ request }: { readonly request: RequestItem }): ReactNode {
  const spans = spansOf(request);
  const speed = tokensPerSecond(request);
  if (spans.length === 0) return null;
  return (
    <Part title="Timing">
      <div className={styles['timing']} aria-hidden="true">
        {spans.map(({ id, ms }) => (
          <span key={id} data-span={id} style={{ flexGrow: Math.max(ms, 0.001) }} />
        ))}
      </div>
      <ul className={styles['legend']}>
        {spans.map(({ id, title, ms }) => (
          <li key={id} data-span={id}>
            {title} <b>{formatDuration(ms)}</b>
          </li>
        ))}
        <li>
          Total <b>{formatDuration(request.latency)}</b>
        </li>
        {speed !== null && (
          <li>
            <b>{formatCount(Math.round(speed))}</b> tokens a second
          </li>
        )}
      </ul>
    </Part>
  );
}

type Fact = readonly [string, ReactNode];

function callFacts(request: RequestItem): readonly Fact[] {
  const zone = timeZone();
  const { cache_reference_id: original } = request;
  return [
    ['Identifier', request.request_id],
    ['Provider', request.provider],
    ['Model', request.model],
    ['Requested model', request.request_model],
    ['Response model', request.response_model],
    ['Finish reason', finishReasonOf(request.response_body)],
    ['Path', request.request_path],
    ['Target address', request.target_url],
    ['Identifier at the provider', request.response_id],
    ['Arrived', formatTime(request.request_created_at, zone, true)],
    ['Ended', request.response_created_at === null ? null : formatTime(request.response_created_at, zone, true)],
    ['Streamed', request.streamed === null ? null : request.streamed ? 'Yes' : 'No'],
    ['First byte after', formatDuration(request.time_to_first_byte)],
    ['Size of both bodies', formatBytes(request.size_bytes)],
    ['Recorded bodies', recordedBodies(request)],
    ['Response cache', request.cached ? 'Cached' : request.cache_enabled ? 'Enabled, not found in it' : 'Not enabled'],
    ['Cached original', original === null || original === '' ? null : <RequestLink key="original" id={original} />],
    ['Security check', request.threat === null ? null : request.threat ? 'Flagged' : 'Nothing found'],
    ['Client', [request.client, request.client_version].filter((text) => text !== null).join(' ') || null],
    ['Country', request.country_code],
    ['Recorded or changed last', formatTime(request.updated_at, zone, true)],
  ];
}

function RequestLink({ id }: { readonly id: string }): ReactNode {
  return (
    <Link to="/requests" search={{ request: id, range: 'all', q: `id:${id}` }}>
      {id}
    </Link>
  );
}

function recordedBodies({ request_body_cut: request, response_body_cut: response }: RequestItem): string {
  if (request && response) return 'Both are cut';
  return request ? 'The request is cut' : response ? 'The response is cut' : 'Whole';
}

function tokenFacts(request: RequestItem): readonly Fact[] {
  return [
    ['Input', formatCount(request.prompt_tokens)],
    ['Read from the provider’s cache', formatCount(request.prompt_cache_read_tokens)],
    ['Written to the provider’s cache', formatCount(request.prompt_cache_write_tokens)],
    ['Output', formatCount(request.completion_tokens)],
    ['Reasoning', formatCount(request.reasoning_tokens)],
    ['Audio in', formatCount(request.prompt_audio_tokens)],
    ['Audio out', formatCount(request.completion_audio_tokens)],
    ['Counted by', request.usage_estimated ? 'Estimate: the provider reported none' : 'The provider'],
  ];
}

function headerFacts(request: RequestItem): readonly Fact[] {
  return [
    ...serviceProperties(request.properties),
    ['Referer', request.request_referrer],
    ['Svc-Prompt-Id', request.prompt_id],
    ['Svc-Prompt-Version', request.prompt_version],
    ['Svc-Model-Override', request.model_override],
    ['Svc-Node-Id', request.node_id],
    ['Svc-Job-Id', request.job_id],
    ['Trace', request.trace_id],
    ['Span', request.span_id],
  ];
}

type Attempt = NonNullable<RequestItem['attempts']>[number] & { readonly number: number };

const attemptColumns: readonly DataColumn<Attempt>[] = [
  { id: 'number', title: 'Attempt', cell: ({ number }) => number },
  { id: 'provider', title: 'Provider', cell: ({ provider }) => provider },
  { id: 'status', title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { id: 'time', title: 'Time', isNumber: true, cell: ({ ms }) => formatDuration(ms) },
  { id: 'error', title: 'Error', cell: ({ error }) => error?.replaceAll('_', ' ') ?? '–' },
];
