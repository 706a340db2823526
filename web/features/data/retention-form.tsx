import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { RetentionAnswer } from '../../../src/client/types/settings.ts';
import { gatelog } from '../../lib/client.ts';
import { countRequests } from '../../lib/count-requests.ts';
import { formatAmount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { correctFields, Form } from '../../ui/form/form.tsx';
import { NumberField, numberFault, numberOf } from '../../ui/form/number-field.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';
import { Actions, Dialog } from '../../ui/overlay/dialog.tsx';
import { useConfirmed } from '../../ui/overlay/use-confirmed.ts';

const dayMs = 86_400_000;
/** A hundred years. */
const bounds = { isWhole: true, min: 1, max: 36_500 };

interface Shortening {
  readonly days: number;
  /** Requests that are older. */
  readonly requests: number;
}

export function daysText(days: number): string {
  return formatAmount(days, 'day');
}

/** How long requests are kept. A shorter time deletes, so it says how many requests and asks. */
export function RetentionForm({ retention }: { readonly retention: RetentionAnswer }): ReactNode {
  const [text, setText] = useState(retention.days === null ? '' : String(retention.days));
  const [asked, setAsked] = useState<Shortening>();
  const queryClient = useQueryClient();
  const days = numberOf(text) ?? null;
  const save = async (kept: number | null): Promise<void> => {
    await gatelog.retention.set(kept);
    await queryClient.invalidateQueries({ queryKey: ['retention'] });
  };
  const submit = async (): Promise<void> => {
    if (days === null || (retention.effective_days !== null && days >= retention.effective_days)) return save(days);
    setAsked({ days, requests: await countRequests('all', { untilMs: Date.now() - days * dayMs }) });
    return undefined;
  };
  return (
    <>
      <Form
        label="Retention"
        submit="Save"
        onSubmit={submit}
        value={text}
        missing={numberFault(text, bounds) === undefined ? undefined : correctFields}
      >
        <NumberField
          label="Days"
          value={text}
          onChange={setText}
          bounds={bounds}
          placeholder="forever"
          about="Empty: requests are kept forever. Older requests are deleted for good."
        />
      </Form>
      {asked !== undefined && <Confirmation {...asked} onConfirm={() => save(asked.days)} onClose={() => setAsked(undefined)} />}
    </>
  );
}

interface ConfirmationProps extends Shortening {
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

function Confirmation({ days, requests, onConfirm, onClose }: ConfirmationProps): ReactNode {
  const { isBusy, error, confirm } = useConfirmed(onConfirm, onClose);
  const count = formatAmount(requests, 'request');
  return (
    <Dialog title={`Keep requests for ${daysText(days)}`} isOpen onClose={onClose}>
      <p>
        {requests === 0
          ? `No request is older than ${daysText(days)} yet. From now on, requests of that age are deleted for good.`
          : `${count} older than ${daysText(days)} will be deleted for good, with bodies, properties and scores, within about an hour. A longer time later brings nothing back.`}
      </p>
      <ErrorNotice error={error} />
      <Actions>
        <Button onPress={onClose}>Cancel</Button>
        <Button kind="danger" onPress={() => void confirm()} isPending={isBusy}>
          {requests === 0 ? 'Save' : `Delete ${count}`}
        </Button>
      </Actions>
    </Dialog>
  );
}
