import type { Command } from 'commander';
import type { CommandDependencies } from '../base/dependencies.ts';
import type { DoctorOptions } from '../doctor/doctor.ts';

export function addDoctorCommand(program: Command, dependencies: CommandDependencies): void {
  program
    .command('doctor')
    .description('find out what is wrong: settings, address, key, clocks, the parts of the service; changes nothing')
    .option('--gateway <address>', 'check the gateway at this address (default: the one beside an API on this machine)')
    .option('--json', 'write the findings as JSON')
    .addHelpText('after', help)
    .action(async (options: DoctorOptions) => (await import('../doctor/doctor.ts')).diagnose(dependencies, options));
}

const help = `
Each finding is ok, warn, fail or skip (not checked), with what to do. Keys are shown by their begin only. The exit code is
1 when a check has failed, else 0.`;
