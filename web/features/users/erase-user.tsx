import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { ErasureAnswer } from '../../../src/client/types/users.ts';
import { gatelog } from '../../lib/client.ts';
import { formatCount, formatTime } from '../../lib/format.ts';
import { timeZone } from '../../lib/zone.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Facts } from '../../ui/layout/facts.tsx';
import { Actions, Dialog } from '../../ui/overlay/dialog.tsx';

/** Erases all that came from a user, after its name was typed, and shows the receipt. */
export function EraseUser({ user, onErased }: { readonly user: string; readonly onErased: () => void }): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const [receipt, setReceipt] = useState<ErasureAnswer>();
  const queryClient = useQueryClient();
  const erase = async (): Promise<void> => {
    setReceipt((await gatelog.users.erase(user)).data);
  };
  const close = (): void => {
    setIsOpen(false);
    setTyped('');
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
          <Form
            label="Erase a user"
            submit="Erase for good"
            onSubmit={erase}
            onCancel={close}
            missing={typed === user ? undefined : 'Type the identifier of the user.'}
          >
            <p>
              All that came from <b dir="auto">{user}</b> up to now goes for good: requests with their bodies, cached responses, and what
              is on its way to the store. Nothing brings it back.
            </p>
            <TextField label="Type the user to confirm" value={typed} onChange={setTyped} autoFocus />
          </Form>
        ) : (
          <Receipt receipt={receipt} onClose={close} />
        )}
      </Dialog>
    </>
  );
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
