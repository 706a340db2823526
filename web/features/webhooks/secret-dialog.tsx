import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Secret } from '../../ui/secret.tsx';
import { Actions, Dialog } from '../../ui/overlay/dialog.tsx';

export interface SecretDialogProps {
  readonly secret: { readonly secret: string; readonly hmac_key: string };
  readonly onClose: () => void;
}

/** The secret of a webhook in both forms. It is shown this once. */
export function SecretDialog({ secret: { secret, hmac_key: key }, onClose }: SecretDialogProps): ReactNode {
  return (
    <Dialog title="The secret of the webhook" isOpen onClose={onClose}>
      <p>The receiver checks with it that an event comes from here. It is not shown again.</p>
      <Secret label="For Standard Webhooks (webhook-signature)" text={secret} />
      <Secret label="For Svc-Signature" text={key} />
      <Actions>
        <Button kind="primary" onPress={onClose}>
          Done
        </Button>
      </Actions>
    </Dialog>
  );
}
