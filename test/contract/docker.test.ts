import { dockerContractor } from './docker-contractor.ts';
import { engineContract } from './engine.ts';

engineContract('docker', dockerContractor);
