import type { ReactNode } from 'react';
import type { Alert } from '../../../src/client/client.ts';
import { Button } from '../../ui/button.tsx';
import { Actions, Dialog } from '../../ui/overlay/dialog.tsx';
import { Secret } from '../../ui/secret.tsx';

/** Whether the service chose secrets for channels of a rule that was just stored. */
export function hasSecrets({ channels }: Alert): boolean {
  return channels.some(({ secret }) => secret !== undefined);
}

/** Secrets that the service chose are shown this once. */
export function SecretsDialog({ alert, onClose }: { readonly alert: Alert; readonly onClose: () => void }): ReactNode {
  return (
    <Dialog title="The rule is saved" isOpen onClose={onClose}>
      <p>
        <bdi>“{alert.name}”</bdi> is saved. Messages to its webhooks are signed: a receiver that checks signatures needs the secret below,
        which is not shown again; one that does not check them needs nothing.
      </p>
      {alert.channels.map(
        ({ id, secret, destination = 'webhook' }) => secret !== undefined && <Secret key={id} label={destination} text={secret} />,
      )}
      <Actions>
        <Button kind="primary" onPress={onClose}>
          Done
        </Button>
      </Actions>
    </Dialog>
  );
}
