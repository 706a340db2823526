import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { gatelog } from '../../lib/client.ts';
import { declaredNameFault } from '../../lib/name-faults.ts';
import { Button } from '../../ui/button.tsx';
import { correctionOf, Form } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';

/** Fixes the spelling of a name, as headers lose the case of theirs on some ways. */
export function DeclareProperty(): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const [name, setName] = useState('');
  const [declared, setDeclared] = useState<string>();
  const queryClient = useQueryClient();
  const fault = declaredNameFault(name);
  const declare = async (): Promise<void> => {
    const { data } = await gatelog.properties.declare(name.trim());
    setDeclared(
      data.replaced === null ? `Stored from now on: ${data.name}.` : `Stored from now on: ${data.name}, and no longer ${data.replaced}.`,
    );
    await queryClient.invalidateQueries({ queryKey: ['properties'] });
  };
  return (
    <>
      <Button onPress={() => setIsOpen(true)}>Declare a property</Button>
      <Dialog title="Declare a property" isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <Form
          label="Declare a property"
          submit="Declare"
          onSubmit={declare}
          onCancel={() => setIsOpen(false)}
          missing={name.trim() === '' ? 'A property needs a name.' : correctionOf(fault)}
        >
          <p className="muted">
            Some clients send headers in lower case. A declared name is stored with your spelling, however a header writes it.
          </p>
          <TextField label="Name" value={name} onChange={setName} fault={fault} placeholder="Team" autoFocus />
          {declared !== undefined && <Notice kind="success">{declared}</Notice>}
        </Form>
      </Dialog>
    </>
  );
}
