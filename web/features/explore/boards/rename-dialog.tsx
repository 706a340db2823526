import { type ReactNode, useState } from 'react';
import { Form } from '../../../ui/form/form.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';

export interface RenameDialogProps {
  readonly title: string;
  readonly label: string;
  readonly name: string;
  readonly submit: string;
  readonly onSubmit: (name: string) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for a name. */
export function RenameDialog({ title, label, name, submit, onSubmit, onClose }: RenameDialogProps): ReactNode {
  const [given, setGiven] = useState(name);
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form
        label={title}
        submit={submit}
        onSubmit={() => onSubmit(given.trim())}
        onCancel={onClose}
        missing={given.trim() === '' ? `${label} is missing.` : undefined}
      >
        <TextField label={label} value={given} onChange={setGiven} isRequired autoFocus />
      </Form>
    </Dialog>
  );
}
