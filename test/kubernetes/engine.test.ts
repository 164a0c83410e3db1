import { engineContract } from '../contract/engine.ts';
import { kubernetesContractor } from './contractor.ts';

engineContract('kubernetes', kubernetesContractor, new Set(['isolation', 'copies', 'exec']));
