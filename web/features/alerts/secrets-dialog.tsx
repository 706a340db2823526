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
    <Dialog title="Secrets of the channels" isOpen onClose={onClose}>
      <p>The receiver checks the signature of a message with its secret. It is not shown again.</p>
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
