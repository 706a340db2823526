import { type ReactNode, useState } from 'react';
import { Form, Row } from '../../ui/form/form.tsx';
import { NumberField, numberFault, numberOf } from '../../ui/form/number-field.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { amountBounds, amountOf, quotaOf } from './amounts.ts';
import { limitText, type Policy, policyText } from './policy.ts';

export interface EditLimitProps {
  readonly policy: Policy;
  /** For what it holds. */
  readonly scope: string;
  /** @param policy as it is written. */
  readonly onSave: (policy: string) => Promise<void>;
  readonly onClose: () => void;
}

/** Another amount for a limit. What has been used stays counted; another time or scope is another limit. */
export function EditLimit({ policy, scope, onSave, onClose }: EditLimitProps): ReactNode {
  const [amount, setAmount] = useState(() => amountOf(policy));
  const bounds = amountBounds[policy.unit];
  const missing = amount.trim() === '' ? 'A limit needs a number.' : numberFault(amount, bounds);
  const save = async (): Promise<void> => {
    await onSave(policyText({ ...policy, quota: quotaOf(policy.unit, numberOf(amount) ?? 0) }));
    onClose();
  };
  return (
    <Dialog title={`Edit ${limitText(policy)}, ${scope}`} isOpen onClose={onClose}>
      <Form label="Amount" submit="Save the limit" onSubmit={save} onCancel={onClose} missing={missing}>
        <Row>
          <NumberField
            label={policy.unit === 'cents' ? 'At most, US dollars' : 'At most, requests'}
            value={amount}
            onChange={setAmount}
            bounds={bounds}
            isRequired
            autoFocus
          />
        </Row>
        <p className="muted">What has been used stays counted. For another time or scope, add a limit and delete this one.</p>
      </Form>
    </Dialog>
  );
}
