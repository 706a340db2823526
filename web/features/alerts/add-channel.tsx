import { type ReactNode, Suspense, useState } from 'react';
import { lazyPart } from '../../lib/lazy-part.tsx';
import type { Alert } from '../../../src/client/client.ts';
import { Button } from '../../ui/button.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { hasSecrets, SecretsDialog } from './secrets-dialog.tsx';

const ChannelForm = lazyPart(async () => (await import('./channel-form.tsx')).ChannelForm);

/** A button that adds a channel to a rule, whatever else the rule says. */
export function AddChannel({ alert }: { readonly alert: Alert }): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const [stored, setStored] = useState<Alert>();
  const close = (): void => setIsOpen(false);
  const onAdded = (changed: Alert): void => {
    close();
    if (hasSecrets(changed)) setStored(changed);
  };
  return (
    <>
      <Button onPress={() => setIsOpen(true)}>Add a channel</Button>
      <Dialog title="Add a channel" isOpen={isOpen} onClose={close}>
        <Suspense fallback={<Loading />}>
          <ChannelForm alert={alert} onAdded={onAdded} onCancel={close} />
        </Suspense>
      </Dialog>
      {stored !== undefined && <SecretsDialog alert={stored} onClose={() => setStored(undefined)} />}
    </>
  );
}
