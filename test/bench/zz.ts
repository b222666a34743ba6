import { startDev } from '../support/dev.ts'; import { newSeedHex, signingKeyFromSeed } from '@aip/runtime/protocol/signing.js'; import {writeFileSync, readFileSync} from 'node:fs'; import {fork} from 'node:child_process'; import pg from 'pg';
const seed=newSeedHex(); writeFileSync('/tmp/probe/signers.json', JSON.stringify([{signer_did: signingKeyFromSeed(seed).did, principal_id:'agent:bench', tenant_id:'demo', scopes:['*']}]),{mode:0o600});
const prof=process.argv[4]==='prof';
const dev=await startDev({args:['--trusted-signers','/tmp/probe/signers.json'], env: prof?{NODE_OPTIONS:'--cpu-prof --cpu-prof-dir=/tmp/prof'}:{}});
const load=(inFlight:number,seconds:number)=>new Promise<any>(r=>{const c=fork('/work/main/test/bench/load.ts',{stdio:'inherit',execArgv:[]});c.once('message',r);c.send({url:dev.ready.gateway_url,seed,inFlight,seconds})});
await load(16,2);
const c=new pg.Client({connectionString:dev.ready.database_url}); await c.connect();
if(process.argv[4]==='sql'){ await c.query("ALTER SYSTEM SET log_min_duration_statement=0"); await c.query("ALTER SYSTEM SET log_line_prefix='%p %a '"); await c.query('select pg_reload_conf()'); }
for (const n of (process.argv[2]??'1').split(',')) console.log(n, JSON.stringify(await load(+n,+(process.argv[3]??6))));
if(process.argv[4]==='sql'){ const t=readFileSync(dev.dataDir+'/logs/postgres.log','utf8'); const m=new Map(); for(const l of t.split('\n')){ const x=/LOG:\s+duration: ([\d.]+) ms\s+(parse|bind|execute|statement)?\s*([^:]*):?(.*)/.exec(l); if(!x) continue; const k=(l.split(' ').slice(1,3).join(' ').slice(0,26)+' '+x[2]+' '+(x[3]!.trim()||x[4]!.trim().slice(0,40))); const e=m.get(k)??[0,0]; e[0]++; e[1]+=+x[1]!; m.set(k,e);} [...m].sort((a,b)=>b[1][1]-a[1][1]).slice(0,28).forEach(([k,[n,d]])=>console.log(String(n).padStart(6), d.toFixed(0).padStart(8)+'ms', (d/n).toFixed(3).padStart(8), k)); }
await c.end(); await dev.stop();
