import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { DeliveryAttempt, DeliveryDetail } from '../../../src/client/types/webhooks.ts';
import { gatelog } from '../../lib/client.ts';
import { formatDuration, formatTime } from '../../lib/format.ts';
import { timeZone } from '../../lib/zone.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/layout/facts.tsx';
import { Loading } from '../../ui/loading.tsx';
import { ErrorNotice, Notice } from '../../ui/notice.tsx';
import { Actions, Dialog } from '../../ui/overlay/dialog.tsx';
import { eventTitle } from './events.ts';
import { deliveryQuery } from './webhooks-query.ts';
import styles from './webhooks.module.css';

export interface DeliveryDialogProps {
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly mayReplay: boolean;
  readonly onClose: () => void;
}

/** One delivery with its attempts: what was sent, and what came back. */
export function DeliveryDialog({ webhookId, deliveryId, mayReplay, onClose }: DeliveryDialogProps): ReactNode {
  const queryClient = useQueryClient();
  const { data, error } = useQuery(deliveryQuery(webhookId, deliveryId));
  const replay = useMutation({
    mutationFn: () => gatelog.webhooks.replay(webhookId, deliveryId),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['webhooks', webhookId] }),
  });
  return (
    <Dialog title="Delivery" isOpen isWide onClose={onClose}>
      <ErrorNotice error={error ?? replay.error} />
      {data === undefined ? <Loading /> : data === null ? <p>The log no longer has this delivery.</p> : <Detail delivery={data} />}
      {replay.isSuccess && <Notice kind="success">Sent again, with the same webhook-id.</Notice>}
      {mayReplay && (
        <Actions>
          <Button kind="primary" onPress={() => replay.mutate()} isPending={replay.isPending}>
            Retry
          </Button>
        </Actions>
      )}
    </Dialog>
  );
}

function Detail({ delivery }: { readonly delivery: NonNullable<DeliveryDetail> }): ReactNode {
  const { id, type, state, failure, occurred_at: occurred, next_attempt_at: next, attempt_log: attempts, content } = delivery;
  return (
    <>
      <Facts
        facts={[
          ['webhook-id', id],
          ['Event', eventTitle(type)],
          ['type', type],
          ['State', failure === null ? state : `${state}: ${failure}`],
          ['Happened', formatTime(occurred, timeZone())],
          ['Next attempt', next === null ? null : formatTime(next, timeZone())],
        ]}
      />
      {content !== undefined && content !== null && <pre className={styles['head']}>{JSON.stringify(content, null, 2)}</pre>}
      {attempts.map((attempt) => (
        <Attempt key={attempt.number} attempt={attempt} />
      ))}
    </>
  );
}

function Attempt({ attempt }: { readonly attempt: DeliveryAttempt }): ReactNode {
  const { number, started_at: started, duration_ms: duration, outcome, reason, request_head: sent, response_head: received } = attempt;
  return (
    <section className={styles['attempt']} aria-label={`Attempt ${number}`}>
      <h3>
        Attempt {number} <Badge kind={outcome === 'delivered' ? 'good' : 'bad'}>{outcome}</Badge>
      </h3>
      <p className="muted">
        {formatTime(started, timeZone(), true)}, {formatDuration(duration)}
        {reason !== null && `: ${reason}`}
      </p>
      <div className={styles['heads']}>
        {sent !== null && <Head title="Request" text={sent} />}
        {received !== null && <Head title="Response" text={received} />}
      </div>
    </section>
  );
}

function Head({ title, text }: { readonly title: string; readonly text: string }): ReactNode {
  return (
    <pre className={styles['head']} tabIndex={0} aria-label={`Head of the ${title.toLowerCase()}`}>
      {text}
    </pre>
  );
}
