import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { where } from '../../../src/client/client.ts';
import type { ErasureAnswer } from '../../../src/client/types/users.ts';
import { gatelog } from '../../lib/client.ts';
import { countRequests } from '../../lib/count-requests.ts';
import { formatAmount, formatCount, formatTime } from '../../lib/format.ts';
import { timeZone } from '../../lib/zone.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Facts } from '../../ui/layout/facts.tsx';
import { Loading } from '../../ui/loading.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';
import { Actions, Dialog } from '../../ui/overlay/dialog.tsx';

/** Erases all that came from a user, after its requests were counted and its name was typed, and shows the receipt. */
export function EraseUser({ user, onErased }: { readonly user: string; readonly onErased: () => void }): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const [receipt, setReceipt] = useState<ErasureAnswer>();
  const queryClient = useQueryClient();
  const erase = async (): Promise<void> => {
    setReceipt((await gatelog.users.erase(user)).data);
  };
  const close = (): void => {
    setIsOpen(false);
    // The page stays until the receipt was read.
    if (receipt !== undefined) void queryClient.invalidateQueries().then(onErased);
    setReceipt(undefined);
  };
  return (
    <>
      <Button kind="danger" onPress={() => setIsOpen(true)}>
        Erase the user …
      </Button>
      <Dialog title={receipt === undefined ? 'Erase a user' : 'Erased'} isOpen={isOpen} onClose={close}>
        {receipt === undefined ? (
          <Confirmation user={user} onErase={erase} onCancel={close} />
        ) : (
          <Receipt receipt={receipt} onClose={close} />
        )}
      </Dialog>
    </>
  );
}

interface ConfirmationProps {
  readonly user: string;
  readonly onErase: () => Promise<void>;
  readonly onCancel: () => void;
}

function Confirmation({ user, onErase, onCancel }: ConfirmationProps): ReactNode {
  const [typed, setTyped] = useState('');
  // Each time the dialog opens, they are counted anew.
  const { data: requests, error } = useQuery({
    queryKey: ['requests to erase', user],
    staleTime: 0,
    gcTime: 0,
    queryFn: ({ signal }) => countRequests(where('user_id', 'equals', user), { signal }),
  });
  if (requests === undefined) return error === null ? <Loading what="Counting the requests" /> : <ErrorNotice error={error} />;
  return (
    <Form
      label="Erase a user"
      submit={requests === 0 ? 'Erase for good' : `Erase ${formatAmount(requests, 'request')}`}
      onSubmit={onErase}
      onCancel={onCancel}
      missing={typed === user ? undefined : 'Type the identifier of the user.'}
    >
      <p>
        All that came from <b dir="auto">{user}</b> up to now goes for good: {lostText(requests)} Nothing brings it back.
      </p>
      <TextField label="Type the user to confirm" value={typed} onChange={setTyped} autoFocus />
    </Form>
  );
}

function lostText(requests: number): string {
  const others = 'cached responses, and what is on its way to the store.';
  if (requests === 0) return `${others} No request is on record.`;
  return `${formatAmount(requests, 'request')} with ${requests === 1 ? 'its' : 'their'} bodies, ${others}`;
}

function Receipt({ receipt, onClose }: { readonly receipt: ErasureAnswer; readonly onClose: () => void }): ReactNode {
  return (
    <>
      <Facts
        facts={[
          ['User', receipt.user_id],
          ['Erased', formatTime(receipt.erased_at, timeZone(), true)],
          ['Requests', formatCount(receipt.requests)],
          ['Bodies', formatCount(receipt.bodies)],
          ['Cached responses', formatCount(receipt.cache_entries)],
          ['On their way to the store', formatCount(receipt.spool_records)],
          ['Dead letters', formatCount(receipt.dead_letters)],
        ]}
      />
      <Actions>
        <Button kind="primary" onPress={onClose}>
          Done
        </Button>
      </Actions>
    </>
  );
}
