// @ts-nocheck
// Made by scripts/generate.ts from the definitions in protocol/schema; do not edit.
"use strict";
export const Ack = validate52;
const schema19 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/ack.schema.json","title":"Ack","description":"Immediate answer to a submission.","type":"object","required":["action_id","status"],"properties":{"action_id":{"type":"string"},"status":{"enum":["accepted","rejected","queued","streaming","cached"]},"reason":{"type":["string","null"]},"retry_after_ms":{"type":["integer","null"],"minimum":0},"queue":{}},"additionalProperties":false};

function validate52(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/ack.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate52.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.action_id === undefined) && (missing0 = "action_id")) || ((data.status === undefined) && (missing0 = "status"))){
validate52.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((key0 === "action_id") || (key0 === "status")) || (key0 === "reason")) || (key0 === "retry_after_ms")) || (key0 === "queue"))){
validate52.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.action_id !== undefined){
const _errs2 = errors;
if(typeof data.action_id !== "string"){
validate52.errors = [{instancePath:instancePath+"/action_id",schemaPath:"#/properties/action_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.status !== undefined){
let data1 = data.status;
const _errs4 = errors;
if(!(((((data1 === "accepted") || (data1 === "rejected")) || (data1 === "queued")) || (data1 === "streaming")) || (data1 === "cached"))){
validate52.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/enum",keyword:"enum",params:{allowedValues: schema19.properties.status.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.reason !== undefined){
let data2 = data.reason;
const _errs5 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate52.errors = [{instancePath:instancePath+"/reason",schemaPath:"#/properties/reason/type",keyword:"type",params:{type: schema19.properties.reason.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.retry_after_ms !== undefined){
let data3 = data.retry_after_ms;
const _errs7 = errors;
if((!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))) && (data3 !== null)){
validate52.errors = [{instancePath:instancePath+"/retry_after_ms",schemaPath:"#/properties/retry_after_ms/type",keyword:"type",params:{type: schema19.properties.retry_after_ms.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs7){
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 < 0 || isNaN(data3)){
validate52.errors = [{instancePath:instancePath+"/retry_after_ms",schemaPath:"#/properties/retry_after_ms/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate52.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate52.errors = vErrors;
return errors === 0;
}
validate52.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const Action = validate53;
const schema20 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/action.schema.json","title":"Action","description":"Work that is asked of a capability.","type":"object","required":["id","capability_id","input"],"properties":{"id":{"type":"string"},"capability_id":{"type":"string"},"input":{},"mode":{"enum":["sync","async","streaming",null]},"idempotency_key":{"type":["string","null"]},"timeout_ms":{"type":["integer","null"],"minimum":0},"conversation":{"anyOf":[{"$ref":"conversation.schema.json"},{"type":"null"}]},"memory_context":{},"delegation_chain":{"type":"array","items":{"$ref":"delegation_entry.schema.json"}},"federation":{"anyOf":[{"$ref":"federation_context.schema.json"},{"type":"null"}]},"callback":{"anyOf":[{"$ref":"callback.schema.json"},{"type":"null"}]},"observability":{"anyOf":[{"$ref":"observability_context.schema.json"},{"type":"null"}]},"compliance":{"anyOf":[{"$ref":"compliance_context.schema.json"},{"type":"null"}]},"identity":{"anyOf":[{"$ref":"identity_context.schema.json"},{"type":"null"}]},"approval":{"anyOf":[{"$ref":"approval_decision.schema.json"},{"type":"null"}]},"transaction":{"anyOf":[{"$ref":"action_transaction.schema.json"},{"type":"null"}]}},"additionalProperties":false};
const func1 = Object.prototype.hasOwnProperty;
const schema21 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/conversation.schema.json","title":"Conversation","description":"A thread in a channel.","type":"object","required":["id","channel","status"],"properties":{"id":{"type":"string"},"channel":{},"status":{"enum":["open","pending","resolved","snoozed","archived"]},"external_refs":{"type":"array","items":{"$ref":"external_ref.schema.json"}},"contact":{"anyOf":[{"$ref":"principal.schema.json"},{"type":"null"}]},"assignee":{"anyOf":[{"$ref":"principal.schema.json"},{"type":"null"}]},"priority":{"enum":["low","medium","high","urgent",null]},"labels":{"type":"array","items":{"type":"string"}},"metadata":{}},"additionalProperties":false};
const schema22 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/external_ref.schema.json","title":"ExternalRef","description":"The id of something in another product.","type":"object","required":["system","type","id"],"properties":{"system":{"type":"string"},"type":{"type":"string"},"id":{"type":"string"}},"additionalProperties":false};

function validate55(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/external_ref.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate55.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.system === undefined) && (missing0 = "system")) || ((data.type === undefined) && (missing0 = "type"))) || ((data.id === undefined) && (missing0 = "id"))){
validate55.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "system") || (key0 === "type")) || (key0 === "id"))){
validate55.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.system !== undefined){
const _errs2 = errors;
if(typeof data.system !== "string"){
validate55.errors = [{instancePath:instancePath+"/system",schemaPath:"#/properties/system/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.type !== undefined){
const _errs4 = errors;
if(typeof data.type !== "string"){
validate55.errors = [{instancePath:instancePath+"/type",schemaPath:"#/properties/type/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.id !== undefined){
const _errs6 = errors;
if(typeof data.id !== "string"){
validate55.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate55.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate55.errors = vErrors;
return errors === 0;
}
validate55.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema23 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/principal.schema.json","title":"Principal","description":"Who sends, receives, asks, decides or acts.","type":"object","required":["id","kind"],"properties":{"id":{"type":"string"},"kind":{"enum":["human","agent","service","tenant","customer","contact","system"]},"display_name":{"type":["string","null"]},"trust_domain":{"type":["string","null"]},"did":{"type":["string","null"]},"external_refs":{"type":"array","items":{"$ref":"external_ref.schema.json"}},"delegated_authority":{"type":"array","items":{"$ref":"delegated_authority_grant.schema.json"}},"auth_context":{}},"additionalProperties":false};
const schema24 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/delegated_authority_grant.schema.json","title":"DelegatedAuthorityGrant","description":"Rights over the work of another principal.","type":"object","required":["principal_id"],"properties":{"principal_id":{"type":"string"},"scopes":{"type":"array","items":{"type":"string"}},"expires_at":{"type":["string","null"]},"reason":{"type":["string","null"]}},"additionalProperties":false};

function validate59(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/delegated_authority_grant.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate59.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.principal_id === undefined) && (missing0 = "principal_id")){
validate59.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "principal_id") || (key0 === "scopes")) || (key0 === "expires_at")) || (key0 === "reason"))){
validate59.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.principal_id !== undefined){
const _errs2 = errors;
if(typeof data.principal_id !== "string"){
validate59.errors = [{instancePath:instancePath+"/principal_id",schemaPath:"#/properties/principal_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.scopes !== undefined){
let data1 = data.scopes;
const _errs4 = errors;
if(errors === _errs4){
if(Array.isArray(data1)){
var valid1 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
const _errs6 = errors;
if(typeof data1[i0] !== "string"){
validate59.errors = [{instancePath:instancePath+"/scopes/" + i0,schemaPath:"#/properties/scopes/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs6 === errors;
if(!valid1){
break;
}
}
}
else {
validate59.errors = [{instancePath:instancePath+"/scopes",schemaPath:"#/properties/scopes/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.expires_at !== undefined){
let data3 = data.expires_at;
const _errs8 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate59.errors = [{instancePath:instancePath+"/expires_at",schemaPath:"#/properties/expires_at/type",keyword:"type",params:{type: schema24.properties.expires_at.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.reason !== undefined){
let data4 = data.reason;
const _errs10 = errors;
if((typeof data4 !== "string") && (data4 !== null)){
validate59.errors = [{instancePath:instancePath+"/reason",schemaPath:"#/properties/reason/type",keyword:"type",params:{type: schema24.properties.reason.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate59.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate59.errors = vErrors;
return errors === 0;
}
validate59.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate57(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/principal.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate57.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.id === undefined) && (missing0 = "id")) || ((data.kind === undefined) && (missing0 = "kind"))){
validate57.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((((((key0 === "id") || (key0 === "kind")) || (key0 === "display_name")) || (key0 === "trust_domain")) || (key0 === "did")) || (key0 === "external_refs")) || (key0 === "delegated_authority")) || (key0 === "auth_context"))){
validate57.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate57.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.kind !== undefined){
let data1 = data.kind;
const _errs4 = errors;
if(!(((((((data1 === "human") || (data1 === "agent")) || (data1 === "service")) || (data1 === "tenant")) || (data1 === "customer")) || (data1 === "contact")) || (data1 === "system"))){
validate57.errors = [{instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/enum",keyword:"enum",params:{allowedValues: schema23.properties.kind.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.display_name !== undefined){
let data2 = data.display_name;
const _errs5 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate57.errors = [{instancePath:instancePath+"/display_name",schemaPath:"#/properties/display_name/type",keyword:"type",params:{type: schema23.properties.display_name.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.trust_domain !== undefined){
let data3 = data.trust_domain;
const _errs7 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate57.errors = [{instancePath:instancePath+"/trust_domain",schemaPath:"#/properties/trust_domain/type",keyword:"type",params:{type: schema23.properties.trust_domain.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.did !== undefined){
let data4 = data.did;
const _errs9 = errors;
if((typeof data4 !== "string") && (data4 !== null)){
validate57.errors = [{instancePath:instancePath+"/did",schemaPath:"#/properties/did/type",keyword:"type",params:{type: schema23.properties.did.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.external_refs !== undefined){
let data5 = data.external_refs;
const _errs11 = errors;
if(errors === _errs11){
if(Array.isArray(data5)){
var valid1 = true;
const len0 = data5.length;
for(let i0=0; i0<len0; i0++){
const _errs13 = errors;
if(!(validate55(data5[i0], {instancePath:instancePath+"/external_refs/" + i0,parentData:data5,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate55.errors : vErrors.concat(validate55.errors);
errors = vErrors.length;
}
var valid1 = _errs13 === errors;
if(!valid1){
break;
}
}
}
else {
validate57.errors = [{instancePath:instancePath+"/external_refs",schemaPath:"#/properties/external_refs/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.delegated_authority !== undefined){
let data7 = data.delegated_authority;
const _errs14 = errors;
if(errors === _errs14){
if(Array.isArray(data7)){
var valid2 = true;
const len1 = data7.length;
for(let i1=0; i1<len1; i1++){
const _errs16 = errors;
if(!(validate59(data7[i1], {instancePath:instancePath+"/delegated_authority/" + i1,parentData:data7,parentDataProperty:i1,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate59.errors : vErrors.concat(validate59.errors);
errors = vErrors.length;
}
var valid2 = _errs16 === errors;
if(!valid2){
break;
}
}
}
else {
validate57.errors = [{instancePath:instancePath+"/delegated_authority",schemaPath:"#/properties/delegated_authority/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate57.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate57.errors = vErrors;
return errors === 0;
}
validate57.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate54(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/conversation.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate54.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.id === undefined) && (missing0 = "id")) || ((data.channel === undefined) && (missing0 = "channel"))) || ((data.status === undefined) && (missing0 = "status"))){
validate54.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema21.properties, key0))){
validate54.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate54.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.status !== undefined){
let data1 = data.status;
const _errs4 = errors;
if(!(((((data1 === "open") || (data1 === "pending")) || (data1 === "resolved")) || (data1 === "snoozed")) || (data1 === "archived"))){
validate54.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/enum",keyword:"enum",params:{allowedValues: schema21.properties.status.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.external_refs !== undefined){
let data2 = data.external_refs;
const _errs5 = errors;
if(errors === _errs5){
if(Array.isArray(data2)){
var valid1 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
const _errs7 = errors;
if(!(validate55(data2[i0], {instancePath:instancePath+"/external_refs/" + i0,parentData:data2,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate55.errors : vErrors.concat(validate55.errors);
errors = vErrors.length;
}
var valid1 = _errs7 === errors;
if(!valid1){
break;
}
}
}
else {
validate54.errors = [{instancePath:instancePath+"/external_refs",schemaPath:"#/properties/external_refs/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.contact !== undefined){
let data4 = data.contact;
const _errs8 = errors;
const _errs9 = errors;
let valid2 = false;
const _errs10 = errors;
if(!(validate57(data4, {instancePath:instancePath+"/contact",parentData:data,parentDataProperty:"contact",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var _valid0 = _errs10 === errors;
valid2 = valid2 || _valid0;
const _errs11 = errors;
if(data4 !== null){
const err0 = {instancePath:instancePath+"/contact",schemaPath:"#/properties/contact/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs11 === errors;
valid2 = valid2 || _valid0;
if(!valid2){
const err1 = {instancePath:instancePath+"/contact",schemaPath:"#/properties/contact/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate54.errors = vErrors;
return false;
}
else {
errors = _errs9;
if(vErrors !== null){
if(_errs9){
vErrors.length = _errs9;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.assignee !== undefined){
let data5 = data.assignee;
const _errs13 = errors;
const _errs14 = errors;
let valid3 = false;
const _errs15 = errors;
if(!(validate57(data5, {instancePath:instancePath+"/assignee",parentData:data,parentDataProperty:"assignee",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var _valid1 = _errs15 === errors;
valid3 = valid3 || _valid1;
const _errs16 = errors;
if(data5 !== null){
const err2 = {instancePath:instancePath+"/assignee",schemaPath:"#/properties/assignee/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
var _valid1 = _errs16 === errors;
valid3 = valid3 || _valid1;
if(!valid3){
const err3 = {instancePath:instancePath+"/assignee",schemaPath:"#/properties/assignee/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
validate54.errors = vErrors;
return false;
}
else {
errors = _errs14;
if(vErrors !== null){
if(_errs14){
vErrors.length = _errs14;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.priority !== undefined){
let data6 = data.priority;
const _errs18 = errors;
if(!(((((data6 === "low") || (data6 === "medium")) || (data6 === "high")) || (data6 === "urgent")) || (data6 === null))){
validate54.errors = [{instancePath:instancePath+"/priority",schemaPath:"#/properties/priority/enum",keyword:"enum",params:{allowedValues: schema21.properties.priority.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs18 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.labels !== undefined){
let data7 = data.labels;
const _errs19 = errors;
if(errors === _errs19){
if(Array.isArray(data7)){
var valid4 = true;
const len1 = data7.length;
for(let i1=0; i1<len1; i1++){
const _errs21 = errors;
if(typeof data7[i1] !== "string"){
validate54.errors = [{instancePath:instancePath+"/labels/" + i1,schemaPath:"#/properties/labels/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid4 = _errs21 === errors;
if(!valid4){
break;
}
}
}
else {
validate54.errors = [{instancePath:instancePath+"/labels",schemaPath:"#/properties/labels/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs19 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate54.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate54.errors = vErrors;
return errors === 0;
}
validate54.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema25 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/delegation_entry.schema.json","title":"DelegationEntry","description":"One hop of a delegation chain.","type":"object","required":["from","to","scope","delegated_at"],"properties":{"from":{"$ref":"principal.schema.json"},"to":{"$ref":"principal.schema.json"},"scope":{"type":"string"},"delegated_at":{"type":"string"}},"additionalProperties":false};

function validate64(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/delegation_entry.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate64.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((data.from === undefined) && (missing0 = "from")) || ((data.to === undefined) && (missing0 = "to"))) || ((data.scope === undefined) && (missing0 = "scope"))) || ((data.delegated_at === undefined) && (missing0 = "delegated_at"))){
validate64.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "from") || (key0 === "to")) || (key0 === "scope")) || (key0 === "delegated_at"))){
validate64.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.from !== undefined){
const _errs2 = errors;
if(!(validate57(data.from, {instancePath:instancePath+"/from",parentData:data,parentDataProperty:"from",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.to !== undefined){
const _errs3 = errors;
if(!(validate57(data.to, {instancePath:instancePath+"/to",parentData:data,parentDataProperty:"to",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.scope !== undefined){
const _errs4 = errors;
if(typeof data.scope !== "string"){
validate64.errors = [{instancePath:instancePath+"/scope",schemaPath:"#/properties/scope/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.delegated_at !== undefined){
const _errs6 = errors;
if(typeof data.delegated_at !== "string"){
validate64.errors = [{instancePath:instancePath+"/delegated_at",schemaPath:"#/properties/delegated_at/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate64.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate64.errors = vErrors;
return errors === 0;
}
validate64.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema26 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/federation_context.schema.json","title":"FederationContext","description":"Trust domains an action came through.","type":"object","required":["trust_domain"],"properties":{"trust_domain":{"type":"string"},"hops":{"type":"array","items":{"type":"string"}}},"additionalProperties":false};

function validate68(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/federation_context.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate68.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.trust_domain === undefined) && (missing0 = "trust_domain")){
validate68.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "trust_domain") || (key0 === "hops"))){
validate68.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.trust_domain !== undefined){
const _errs2 = errors;
if(typeof data.trust_domain !== "string"){
validate68.errors = [{instancePath:instancePath+"/trust_domain",schemaPath:"#/properties/trust_domain/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.hops !== undefined){
let data1 = data.hops;
const _errs4 = errors;
if(errors === _errs4){
if(Array.isArray(data1)){
var valid1 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
const _errs6 = errors;
if(typeof data1[i0] !== "string"){
validate68.errors = [{instancePath:instancePath+"/hops/" + i0,schemaPath:"#/properties/hops/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs6 === errors;
if(!valid1){
break;
}
}
}
else {
validate68.errors = [{instancePath:instancePath+"/hops",schemaPath:"#/properties/hops/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate68.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate68.errors = vErrors;
return errors === 0;
}
validate68.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema27 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/callback.schema.json","title":"Callback","description":"Where results or chunks are sent.","type":"object","required":["profile","target"],"properties":{"profile":{"type":"string"},"target":{"type":"string"},"metadata":{}},"additionalProperties":false};

function validate70(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/callback.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate70.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.profile === undefined) && (missing0 = "profile")) || ((data.target === undefined) && (missing0 = "target"))){
validate70.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "profile") || (key0 === "target")) || (key0 === "metadata"))){
validate70.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.profile !== undefined){
const _errs2 = errors;
if(typeof data.profile !== "string"){
validate70.errors = [{instancePath:instancePath+"/profile",schemaPath:"#/properties/profile/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.target !== undefined){
const _errs4 = errors;
if(typeof data.target !== "string"){
validate70.errors = [{instancePath:instancePath+"/target",schemaPath:"#/properties/target/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate70.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate70.errors = vErrors;
return errors === 0;
}
validate70.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema28 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/observability_context.schema.json","title":"ObservabilityContext","description":"Tracing of an action.","type":"object","required":[],"properties":{"trace_id":{"type":["string","null"]},"span_id":{"type":["string","null"]},"fields":{}},"additionalProperties":false};

function validate72(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/observability_context.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate72.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "trace_id") || (key0 === "span_id")) || (key0 === "fields"))){
validate72.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.trace_id !== undefined){
let data0 = data.trace_id;
const _errs2 = errors;
if((typeof data0 !== "string") && (data0 !== null)){
validate72.errors = [{instancePath:instancePath+"/trace_id",schemaPath:"#/properties/trace_id/type",keyword:"type",params:{type: schema28.properties.trace_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.span_id !== undefined){
let data1 = data.span_id;
const _errs4 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate72.errors = [{instancePath:instancePath+"/span_id",schemaPath:"#/properties/span_id/type",keyword:"type",params:{type: schema28.properties.span_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
else {
validate72.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate72.errors = vErrors;
return errors === 0;
}
validate72.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema29 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/compliance_context.schema.json","title":"ComplianceContext","description":"Regimes that apply to an action.","type":"object","required":[],"properties":{"regimes":{"type":"array","items":{"type":"string"}},"data_classification":{"type":["string","null"]},"metadata":{}},"additionalProperties":false};

function validate74(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/compliance_context.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate74.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "regimes") || (key0 === "data_classification")) || (key0 === "metadata"))){
validate74.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.regimes !== undefined){
let data0 = data.regimes;
const _errs2 = errors;
if(errors === _errs2){
if(Array.isArray(data0)){
var valid1 = true;
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
const _errs4 = errors;
if(typeof data0[i0] !== "string"){
validate74.errors = [{instancePath:instancePath+"/regimes/" + i0,schemaPath:"#/properties/regimes/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs4 === errors;
if(!valid1){
break;
}
}
}
else {
validate74.errors = [{instancePath:instancePath+"/regimes",schemaPath:"#/properties/regimes/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.data_classification !== undefined){
let data2 = data.data_classification;
const _errs6 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate74.errors = [{instancePath:instancePath+"/data_classification",schemaPath:"#/properties/data_classification/type",keyword:"type",params:{type: schema29.properties.data_classification.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
else {
validate74.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate74.errors = vErrors;
return errors === 0;
}
validate74.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema30 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/identity_context.schema.json","title":"IdentityContext","description":"On whose behalf and in which accounts work is done.","type":"object","required":[],"properties":{"tenant":{"anyOf":[{"$ref":"tenant_ref.schema.json"},{"type":"null"}]},"external_account":{"anyOf":[{"$ref":"external_account_ref.schema.json"},{"type":"null"}]},"external_user":{"anyOf":[{"$ref":"external_user_ref.schema.json"},{"type":"null"}]},"human_actor":{"anyOf":[{"$ref":"principal.schema.json"},{"type":"null"}]},"service_account":{"anyOf":[{"$ref":"principal.schema.json"},{"type":"null"}]},"acted_on_behalf_of":{"anyOf":[{"$ref":"principal.schema.json"},{"type":"null"}]},"credential_ref":{"anyOf":[{"$ref":"credential_ref.schema.json"},{"type":"null"}]},"oauth":{"anyOf":[{"$ref":"oauth_credential_state.schema.json"},{"type":"null"}]}},"additionalProperties":false};
const schema31 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/tenant_ref.schema.json","title":"TenantRef","description":"A tenant.","type":"object","required":["id"],"properties":{"id":{"type":"string"},"system":{"type":["string","null"]}},"additionalProperties":false};

function validate77(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/tenant_ref.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate77.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate77.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "id") || (key0 === "system"))){
validate77.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate77.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.system !== undefined){
let data1 = data.system;
const _errs4 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate77.errors = [{instancePath:instancePath+"/system",schemaPath:"#/properties/system/type",keyword:"type",params:{type: schema31.properties.system.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate77.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate77.errors = vErrors;
return errors === 0;
}
validate77.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema32 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/external_account_ref.schema.json","title":"ExternalAccountRef","description":"An account in a product.","type":"object","required":["id","system"],"properties":{"id":{"type":"string"},"system":{"type":"string"}},"additionalProperties":false};

function validate79(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/external_account_ref.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate79.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.id === undefined) && (missing0 = "id")) || ((data.system === undefined) && (missing0 = "system"))){
validate79.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "id") || (key0 === "system"))){
validate79.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate79.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.system !== undefined){
const _errs4 = errors;
if(typeof data.system !== "string"){
validate79.errors = [{instancePath:instancePath+"/system",schemaPath:"#/properties/system/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate79.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate79.errors = vErrors;
return errors === 0;
}
validate79.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema33 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/external_user_ref.schema.json","title":"ExternalUserRef","description":"A user in a product.","type":"object","required":["id","system"],"properties":{"id":{"type":"string"},"system":{"type":"string"}},"additionalProperties":false};

function validate81(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/external_user_ref.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate81.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.id === undefined) && (missing0 = "id")) || ((data.system === undefined) && (missing0 = "system"))){
validate81.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "id") || (key0 === "system"))){
validate81.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate81.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.system !== undefined){
const _errs4 = errors;
if(typeof data.system !== "string"){
validate81.errors = [{instancePath:instancePath+"/system",schemaPath:"#/properties/system/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate81.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate81.errors = vErrors;
return errors === 0;
}
validate81.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema34 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/credential_ref.schema.json","title":"CredentialRef","description":"A pointer to a secret, never the secret.","type":"object","required":["id","issuer"],"properties":{"id":{"type":"string"},"issuer":{"type":"string"},"scopes":{"type":"array","items":{"type":"string"}}},"additionalProperties":false};

function validate86(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/credential_ref.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate86.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.id === undefined) && (missing0 = "id")) || ((data.issuer === undefined) && (missing0 = "issuer"))){
validate86.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "id") || (key0 === "issuer")) || (key0 === "scopes"))){
validate86.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate86.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.issuer !== undefined){
const _errs4 = errors;
if(typeof data.issuer !== "string"){
validate86.errors = [{instancePath:instancePath+"/issuer",schemaPath:"#/properties/issuer/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.scopes !== undefined){
let data2 = data.scopes;
const _errs6 = errors;
if(errors === _errs6){
if(Array.isArray(data2)){
var valid1 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
const _errs8 = errors;
if(typeof data2[i0] !== "string"){
validate86.errors = [{instancePath:instancePath+"/scopes/" + i0,schemaPath:"#/properties/scopes/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs8 === errors;
if(!valid1){
break;
}
}
}
else {
validate86.errors = [{instancePath:instancePath+"/scopes",schemaPath:"#/properties/scopes/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate86.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate86.errors = vErrors;
return errors === 0;
}
validate86.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema35 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/oauth_credential_state.schema.json","title":"OAuthCredentialState","description":"OAuth state without tokens.","type":"object","required":["issuer","refresh_available"],"properties":{"issuer":{"type":"string"},"client_id":{"type":["string","null"]},"scopes":{"type":"array","items":{"type":"string"}},"expires_at":{"type":["string","null"]},"refresh_available":{"type":"boolean"}},"additionalProperties":false};

function validate88(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/oauth_credential_state.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate88.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.issuer === undefined) && (missing0 = "issuer")) || ((data.refresh_available === undefined) && (missing0 = "refresh_available"))){
validate88.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((key0 === "issuer") || (key0 === "client_id")) || (key0 === "scopes")) || (key0 === "expires_at")) || (key0 === "refresh_available"))){
validate88.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.issuer !== undefined){
const _errs2 = errors;
if(typeof data.issuer !== "string"){
validate88.errors = [{instancePath:instancePath+"/issuer",schemaPath:"#/properties/issuer/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.client_id !== undefined){
let data1 = data.client_id;
const _errs4 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate88.errors = [{instancePath:instancePath+"/client_id",schemaPath:"#/properties/client_id/type",keyword:"type",params:{type: schema35.properties.client_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.scopes !== undefined){
let data2 = data.scopes;
const _errs6 = errors;
if(errors === _errs6){
if(Array.isArray(data2)){
var valid1 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
const _errs8 = errors;
if(typeof data2[i0] !== "string"){
validate88.errors = [{instancePath:instancePath+"/scopes/" + i0,schemaPath:"#/properties/scopes/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs8 === errors;
if(!valid1){
break;
}
}
}
else {
validate88.errors = [{instancePath:instancePath+"/scopes",schemaPath:"#/properties/scopes/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.expires_at !== undefined){
let data4 = data.expires_at;
const _errs10 = errors;
if((typeof data4 !== "string") && (data4 !== null)){
validate88.errors = [{instancePath:instancePath+"/expires_at",schemaPath:"#/properties/expires_at/type",keyword:"type",params:{type: schema35.properties.expires_at.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.refresh_available !== undefined){
const _errs12 = errors;
if(typeof data.refresh_available !== "boolean"){
validate88.errors = [{instancePath:instancePath+"/refresh_available",schemaPath:"#/properties/refresh_available/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
else {
validate88.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate88.errors = vErrors;
return errors === 0;
}
validate88.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate76(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/identity_context.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate76.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((((((((key0 === "tenant") || (key0 === "external_account")) || (key0 === "external_user")) || (key0 === "human_actor")) || (key0 === "service_account")) || (key0 === "acted_on_behalf_of")) || (key0 === "credential_ref")) || (key0 === "oauth"))){
validate76.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.tenant !== undefined){
let data0 = data.tenant;
const _errs2 = errors;
const _errs3 = errors;
let valid1 = false;
const _errs4 = errors;
if(!(validate77(data0, {instancePath:instancePath+"/tenant",parentData:data,parentDataProperty:"tenant",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate77.errors : vErrors.concat(validate77.errors);
errors = vErrors.length;
}
var _valid0 = _errs4 === errors;
valid1 = valid1 || _valid0;
const _errs5 = errors;
if(data0 !== null){
const err0 = {instancePath:instancePath+"/tenant",schemaPath:"#/properties/tenant/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs5 === errors;
valid1 = valid1 || _valid0;
if(!valid1){
const err1 = {instancePath:instancePath+"/tenant",schemaPath:"#/properties/tenant/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate76.errors = vErrors;
return false;
}
else {
errors = _errs3;
if(vErrors !== null){
if(_errs3){
vErrors.length = _errs3;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.external_account !== undefined){
let data1 = data.external_account;
const _errs7 = errors;
const _errs8 = errors;
let valid2 = false;
const _errs9 = errors;
if(!(validate79(data1, {instancePath:instancePath+"/external_account",parentData:data,parentDataProperty:"external_account",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate79.errors : vErrors.concat(validate79.errors);
errors = vErrors.length;
}
var _valid1 = _errs9 === errors;
valid2 = valid2 || _valid1;
const _errs10 = errors;
if(data1 !== null){
const err2 = {instancePath:instancePath+"/external_account",schemaPath:"#/properties/external_account/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
var _valid1 = _errs10 === errors;
valid2 = valid2 || _valid1;
if(!valid2){
const err3 = {instancePath:instancePath+"/external_account",schemaPath:"#/properties/external_account/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
validate76.errors = vErrors;
return false;
}
else {
errors = _errs8;
if(vErrors !== null){
if(_errs8){
vErrors.length = _errs8;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.external_user !== undefined){
let data2 = data.external_user;
const _errs12 = errors;
const _errs13 = errors;
let valid3 = false;
const _errs14 = errors;
if(!(validate81(data2, {instancePath:instancePath+"/external_user",parentData:data,parentDataProperty:"external_user",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate81.errors : vErrors.concat(validate81.errors);
errors = vErrors.length;
}
var _valid2 = _errs14 === errors;
valid3 = valid3 || _valid2;
const _errs15 = errors;
if(data2 !== null){
const err4 = {instancePath:instancePath+"/external_user",schemaPath:"#/properties/external_user/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
var _valid2 = _errs15 === errors;
valid3 = valid3 || _valid2;
if(!valid3){
const err5 = {instancePath:instancePath+"/external_user",schemaPath:"#/properties/external_user/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
validate76.errors = vErrors;
return false;
}
else {
errors = _errs13;
if(vErrors !== null){
if(_errs13){
vErrors.length = _errs13;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.human_actor !== undefined){
let data3 = data.human_actor;
const _errs17 = errors;
const _errs18 = errors;
let valid4 = false;
const _errs19 = errors;
if(!(validate57(data3, {instancePath:instancePath+"/human_actor",parentData:data,parentDataProperty:"human_actor",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var _valid3 = _errs19 === errors;
valid4 = valid4 || _valid3;
const _errs20 = errors;
if(data3 !== null){
const err6 = {instancePath:instancePath+"/human_actor",schemaPath:"#/properties/human_actor/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
var _valid3 = _errs20 === errors;
valid4 = valid4 || _valid3;
if(!valid4){
const err7 = {instancePath:instancePath+"/human_actor",schemaPath:"#/properties/human_actor/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
validate76.errors = vErrors;
return false;
}
else {
errors = _errs18;
if(vErrors !== null){
if(_errs18){
vErrors.length = _errs18;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.service_account !== undefined){
let data4 = data.service_account;
const _errs22 = errors;
const _errs23 = errors;
let valid5 = false;
const _errs24 = errors;
if(!(validate57(data4, {instancePath:instancePath+"/service_account",parentData:data,parentDataProperty:"service_account",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var _valid4 = _errs24 === errors;
valid5 = valid5 || _valid4;
const _errs25 = errors;
if(data4 !== null){
const err8 = {instancePath:instancePath+"/service_account",schemaPath:"#/properties/service_account/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
var _valid4 = _errs25 === errors;
valid5 = valid5 || _valid4;
if(!valid5){
const err9 = {instancePath:instancePath+"/service_account",schemaPath:"#/properties/service_account/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
validate76.errors = vErrors;
return false;
}
else {
errors = _errs23;
if(vErrors !== null){
if(_errs23){
vErrors.length = _errs23;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs22 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.acted_on_behalf_of !== undefined){
let data5 = data.acted_on_behalf_of;
const _errs27 = errors;
const _errs28 = errors;
let valid6 = false;
const _errs29 = errors;
if(!(validate57(data5, {instancePath:instancePath+"/acted_on_behalf_of",parentData:data,parentDataProperty:"acted_on_behalf_of",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var _valid5 = _errs29 === errors;
valid6 = valid6 || _valid5;
const _errs30 = errors;
if(data5 !== null){
const err10 = {instancePath:instancePath+"/acted_on_behalf_of",schemaPath:"#/properties/acted_on_behalf_of/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
var _valid5 = _errs30 === errors;
valid6 = valid6 || _valid5;
if(!valid6){
const err11 = {instancePath:instancePath+"/acted_on_behalf_of",schemaPath:"#/properties/acted_on_behalf_of/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
validate76.errors = vErrors;
return false;
}
else {
errors = _errs28;
if(vErrors !== null){
if(_errs28){
vErrors.length = _errs28;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs27 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.credential_ref !== undefined){
let data6 = data.credential_ref;
const _errs32 = errors;
const _errs33 = errors;
let valid7 = false;
const _errs34 = errors;
if(!(validate86(data6, {instancePath:instancePath+"/credential_ref",parentData:data,parentDataProperty:"credential_ref",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate86.errors : vErrors.concat(validate86.errors);
errors = vErrors.length;
}
var _valid6 = _errs34 === errors;
valid7 = valid7 || _valid6;
const _errs35 = errors;
if(data6 !== null){
const err12 = {instancePath:instancePath+"/credential_ref",schemaPath:"#/properties/credential_ref/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
var _valid6 = _errs35 === errors;
valid7 = valid7 || _valid6;
if(!valid7){
const err13 = {instancePath:instancePath+"/credential_ref",schemaPath:"#/properties/credential_ref/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
validate76.errors = vErrors;
return false;
}
else {
errors = _errs33;
if(vErrors !== null){
if(_errs33){
vErrors.length = _errs33;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs32 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.oauth !== undefined){
let data7 = data.oauth;
const _errs37 = errors;
const _errs38 = errors;
let valid8 = false;
const _errs39 = errors;
if(!(validate88(data7, {instancePath:instancePath+"/oauth",parentData:data,parentDataProperty:"oauth",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate88.errors : vErrors.concat(validate88.errors);
errors = vErrors.length;
}
var _valid7 = _errs39 === errors;
valid8 = valid8 || _valid7;
const _errs40 = errors;
if(data7 !== null){
const err14 = {instancePath:instancePath+"/oauth",schemaPath:"#/properties/oauth/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
var _valid7 = _errs40 === errors;
valid8 = valid8 || _valid7;
if(!valid8){
const err15 = {instancePath:instancePath+"/oauth",schemaPath:"#/properties/oauth/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
validate76.errors = vErrors;
return false;
}
else {
errors = _errs38;
if(vErrors !== null){
if(_errs38){
vErrors.length = _errs38;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs37 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate76.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate76.errors = vErrors;
return errors === 0;
}
validate76.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema36 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/approval_decision.schema.json","title":"ApprovalDecision","description":"A vote on an approval.","type":"object","required":["approval_id","decision","approver","decided_at"],"properties":{"approval_id":{"type":"string"},"decision":{"enum":["approved","denied","expired","revoked"]},"approver":{"$ref":"principal.schema.json"},"decided_at":{"type":"string"},"reason":{"type":["string","null"]},"constraints":{"type":"array","items":{"$ref":"approval_constraint.schema.json"}},"evidence":{"type":"array","items":{"$ref":"evidence_artifact.schema.json"}},"decision_id":{"type":["string","null"]},"policy_hash":{"type":["string","null"]},"authority_path":{"type":"array","items":{"type":"string"}},"target_decision_id":{"type":["string","null"]}},"additionalProperties":false};
const schema37 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/approval_constraint.schema.json","title":"ApprovalConstraint","description":"A limit on the input of an approved action.","type":"object","required":["field","operator","value"],"properties":{"field":{"type":"string"},"operator":{"type":"string"},"value":{}},"additionalProperties":false};

function validate93(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/approval_constraint.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate93.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.field === undefined) && (missing0 = "field")) || ((data.operator === undefined) && (missing0 = "operator"))) || ((data.value === undefined) && (missing0 = "value"))){
validate93.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "field") || (key0 === "operator")) || (key0 === "value"))){
validate93.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.field !== undefined){
const _errs2 = errors;
if(typeof data.field !== "string"){
validate93.errors = [{instancePath:instancePath+"/field",schemaPath:"#/properties/field/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.operator !== undefined){
const _errs4 = errors;
if(typeof data.operator !== "string"){
validate93.errors = [{instancePath:instancePath+"/operator",schemaPath:"#/properties/operator/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate93.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate93.errors = vErrors;
return errors === 0;
}
validate93.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema38 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/evidence_artifact.schema.json","title":"EvidenceArtifact","description":"Proof attached to a request or decision.","type":"object","required":["id","kind","redacted"],"properties":{"id":{"type":"string"},"kind":{"type":"string"},"uri":{"type":["string","null"]},"hash":{"type":["string","null"]},"redacted":{"type":"boolean"}},"additionalProperties":false};

function validate95(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/evidence_artifact.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate95.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.id === undefined) && (missing0 = "id")) || ((data.kind === undefined) && (missing0 = "kind"))) || ((data.redacted === undefined) && (missing0 = "redacted"))){
validate95.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((key0 === "id") || (key0 === "kind")) || (key0 === "uri")) || (key0 === "hash")) || (key0 === "redacted"))){
validate95.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate95.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.kind !== undefined){
const _errs4 = errors;
if(typeof data.kind !== "string"){
validate95.errors = [{instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.uri !== undefined){
let data2 = data.uri;
const _errs6 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate95.errors = [{instancePath:instancePath+"/uri",schemaPath:"#/properties/uri/type",keyword:"type",params:{type: schema38.properties.uri.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.hash !== undefined){
let data3 = data.hash;
const _errs8 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate95.errors = [{instancePath:instancePath+"/hash",schemaPath:"#/properties/hash/type",keyword:"type",params:{type: schema38.properties.hash.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.redacted !== undefined){
const _errs10 = errors;
if(typeof data.redacted !== "boolean"){
validate95.errors = [{instancePath:instancePath+"/redacted",schemaPath:"#/properties/redacted/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
else {
validate95.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate95.errors = vErrors;
return errors === 0;
}
validate95.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate91(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/approval_decision.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate91.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((data.approval_id === undefined) && (missing0 = "approval_id")) || ((data.decision === undefined) && (missing0 = "decision"))) || ((data.approver === undefined) && (missing0 = "approver"))) || ((data.decided_at === undefined) && (missing0 = "decided_at"))){
validate91.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema36.properties, key0))){
validate91.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.approval_id !== undefined){
const _errs2 = errors;
if(typeof data.approval_id !== "string"){
validate91.errors = [{instancePath:instancePath+"/approval_id",schemaPath:"#/properties/approval_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.decision !== undefined){
let data1 = data.decision;
const _errs4 = errors;
if(!((((data1 === "approved") || (data1 === "denied")) || (data1 === "expired")) || (data1 === "revoked"))){
validate91.errors = [{instancePath:instancePath+"/decision",schemaPath:"#/properties/decision/enum",keyword:"enum",params:{allowedValues: schema36.properties.decision.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.approver !== undefined){
const _errs5 = errors;
if(!(validate57(data.approver, {instancePath:instancePath+"/approver",parentData:data,parentDataProperty:"approver",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.decided_at !== undefined){
const _errs6 = errors;
if(typeof data.decided_at !== "string"){
validate91.errors = [{instancePath:instancePath+"/decided_at",schemaPath:"#/properties/decided_at/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.reason !== undefined){
let data4 = data.reason;
const _errs8 = errors;
if((typeof data4 !== "string") && (data4 !== null)){
validate91.errors = [{instancePath:instancePath+"/reason",schemaPath:"#/properties/reason/type",keyword:"type",params:{type: schema36.properties.reason.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.constraints !== undefined){
let data5 = data.constraints;
const _errs10 = errors;
if(errors === _errs10){
if(Array.isArray(data5)){
var valid1 = true;
const len0 = data5.length;
for(let i0=0; i0<len0; i0++){
const _errs12 = errors;
if(!(validate93(data5[i0], {instancePath:instancePath+"/constraints/" + i0,parentData:data5,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate93.errors : vErrors.concat(validate93.errors);
errors = vErrors.length;
}
var valid1 = _errs12 === errors;
if(!valid1){
break;
}
}
}
else {
validate91.errors = [{instancePath:instancePath+"/constraints",schemaPath:"#/properties/constraints/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.evidence !== undefined){
let data7 = data.evidence;
const _errs13 = errors;
if(errors === _errs13){
if(Array.isArray(data7)){
var valid2 = true;
const len1 = data7.length;
for(let i1=0; i1<len1; i1++){
const _errs15 = errors;
if(!(validate95(data7[i1], {instancePath:instancePath+"/evidence/" + i1,parentData:data7,parentDataProperty:i1,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate95.errors : vErrors.concat(validate95.errors);
errors = vErrors.length;
}
var valid2 = _errs15 === errors;
if(!valid2){
break;
}
}
}
else {
validate91.errors = [{instancePath:instancePath+"/evidence",schemaPath:"#/properties/evidence/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.decision_id !== undefined){
let data9 = data.decision_id;
const _errs16 = errors;
if((typeof data9 !== "string") && (data9 !== null)){
validate91.errors = [{instancePath:instancePath+"/decision_id",schemaPath:"#/properties/decision_id/type",keyword:"type",params:{type: schema36.properties.decision_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs16 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.policy_hash !== undefined){
let data10 = data.policy_hash;
const _errs18 = errors;
if((typeof data10 !== "string") && (data10 !== null)){
validate91.errors = [{instancePath:instancePath+"/policy_hash",schemaPath:"#/properties/policy_hash/type",keyword:"type",params:{type: schema36.properties.policy_hash.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs18 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.authority_path !== undefined){
let data11 = data.authority_path;
const _errs20 = errors;
if(errors === _errs20){
if(Array.isArray(data11)){
var valid3 = true;
const len2 = data11.length;
for(let i2=0; i2<len2; i2++){
const _errs22 = errors;
if(typeof data11[i2] !== "string"){
validate91.errors = [{instancePath:instancePath+"/authority_path/" + i2,schemaPath:"#/properties/authority_path/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid3 = _errs22 === errors;
if(!valid3){
break;
}
}
}
else {
validate91.errors = [{instancePath:instancePath+"/authority_path",schemaPath:"#/properties/authority_path/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs20 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.target_decision_id !== undefined){
let data13 = data.target_decision_id;
const _errs24 = errors;
if((typeof data13 !== "string") && (data13 !== null)){
validate91.errors = [{instancePath:instancePath+"/target_decision_id",schemaPath:"#/properties/target_decision_id/type",keyword:"type",params:{type: schema36.properties.target_decision_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs24 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate91.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate91.errors = vErrors;
return errors === 0;
}
validate91.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema39 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/action_transaction.schema.json","title":"ActionTransaction","description":"The transaction an action belongs to.","type":"object","required":["mode"],"properties":{"mode":{"enum":["execute","dry_run","plan","commit","compensate","reconcile","rollback_not_supported"]},"transaction_id":{"type":["string","null"]},"plan_id":{"type":["string","null"]},"compensation_for":{"type":["string","null"]}},"additionalProperties":false};

function validate98(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/action_transaction.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate98.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.mode === undefined) && (missing0 = "mode")){
validate98.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "mode") || (key0 === "transaction_id")) || (key0 === "plan_id")) || (key0 === "compensation_for"))){
validate98.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.mode !== undefined){
let data0 = data.mode;
const _errs2 = errors;
if(!(((((((data0 === "execute") || (data0 === "dry_run")) || (data0 === "plan")) || (data0 === "commit")) || (data0 === "compensate")) || (data0 === "reconcile")) || (data0 === "rollback_not_supported"))){
validate98.errors = [{instancePath:instancePath+"/mode",schemaPath:"#/properties/mode/enum",keyword:"enum",params:{allowedValues: schema39.properties.mode.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.transaction_id !== undefined){
let data1 = data.transaction_id;
const _errs3 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate98.errors = [{instancePath:instancePath+"/transaction_id",schemaPath:"#/properties/transaction_id/type",keyword:"type",params:{type: schema39.properties.transaction_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.plan_id !== undefined){
let data2 = data.plan_id;
const _errs5 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate98.errors = [{instancePath:instancePath+"/plan_id",schemaPath:"#/properties/plan_id/type",keyword:"type",params:{type: schema39.properties.plan_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.compensation_for !== undefined){
let data3 = data.compensation_for;
const _errs7 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate98.errors = [{instancePath:instancePath+"/compensation_for",schemaPath:"#/properties/compensation_for/type",keyword:"type",params:{type: schema39.properties.compensation_for.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate98.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate98.errors = vErrors;
return errors === 0;
}
validate98.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate53(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/action.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate53.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.id === undefined) && (missing0 = "id")) || ((data.capability_id === undefined) && (missing0 = "capability_id"))) || ((data.input === undefined) && (missing0 = "input"))){
validate53.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema20.properties, key0))){
validate53.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate53.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.capability_id !== undefined){
const _errs4 = errors;
if(typeof data.capability_id !== "string"){
validate53.errors = [{instancePath:instancePath+"/capability_id",schemaPath:"#/properties/capability_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.mode !== undefined){
let data2 = data.mode;
const _errs6 = errors;
if(!((((data2 === "sync") || (data2 === "async")) || (data2 === "streaming")) || (data2 === null))){
validate53.errors = [{instancePath:instancePath+"/mode",schemaPath:"#/properties/mode/enum",keyword:"enum",params:{allowedValues: schema20.properties.mode.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.idempotency_key !== undefined){
let data3 = data.idempotency_key;
const _errs7 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate53.errors = [{instancePath:instancePath+"/idempotency_key",schemaPath:"#/properties/idempotency_key/type",keyword:"type",params:{type: schema20.properties.idempotency_key.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.timeout_ms !== undefined){
let data4 = data.timeout_ms;
const _errs9 = errors;
if((!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))) && (data4 !== null)){
validate53.errors = [{instancePath:instancePath+"/timeout_ms",schemaPath:"#/properties/timeout_ms/type",keyword:"type",params:{type: schema20.properties.timeout_ms.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs9){
if((typeof data4 == "number") && (isFinite(data4))){
if(data4 < 0 || isNaN(data4)){
validate53.errors = [{instancePath:instancePath+"/timeout_ms",schemaPath:"#/properties/timeout_ms/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.conversation !== undefined){
let data5 = data.conversation;
const _errs11 = errors;
const _errs12 = errors;
let valid1 = false;
const _errs13 = errors;
if(!(validate54(data5, {instancePath:instancePath+"/conversation",parentData:data,parentDataProperty:"conversation",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate54.errors : vErrors.concat(validate54.errors);
errors = vErrors.length;
}
var _valid0 = _errs13 === errors;
valid1 = valid1 || _valid0;
const _errs14 = errors;
if(data5 !== null){
const err0 = {instancePath:instancePath+"/conversation",schemaPath:"#/properties/conversation/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs14 === errors;
valid1 = valid1 || _valid0;
if(!valid1){
const err1 = {instancePath:instancePath+"/conversation",schemaPath:"#/properties/conversation/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate53.errors = vErrors;
return false;
}
else {
errors = _errs12;
if(vErrors !== null){
if(_errs12){
vErrors.length = _errs12;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.delegation_chain !== undefined){
let data6 = data.delegation_chain;
const _errs16 = errors;
if(errors === _errs16){
if(Array.isArray(data6)){
var valid2 = true;
const len0 = data6.length;
for(let i0=0; i0<len0; i0++){
const _errs18 = errors;
if(!(validate64(data6[i0], {instancePath:instancePath+"/delegation_chain/" + i0,parentData:data6,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate64.errors : vErrors.concat(validate64.errors);
errors = vErrors.length;
}
var valid2 = _errs18 === errors;
if(!valid2){
break;
}
}
}
else {
validate53.errors = [{instancePath:instancePath+"/delegation_chain",schemaPath:"#/properties/delegation_chain/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs16 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.federation !== undefined){
let data8 = data.federation;
const _errs19 = errors;
const _errs20 = errors;
let valid3 = false;
const _errs21 = errors;
if(!(validate68(data8, {instancePath:instancePath+"/federation",parentData:data,parentDataProperty:"federation",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate68.errors : vErrors.concat(validate68.errors);
errors = vErrors.length;
}
var _valid1 = _errs21 === errors;
valid3 = valid3 || _valid1;
const _errs22 = errors;
if(data8 !== null){
const err2 = {instancePath:instancePath+"/federation",schemaPath:"#/properties/federation/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
var _valid1 = _errs22 === errors;
valid3 = valid3 || _valid1;
if(!valid3){
const err3 = {instancePath:instancePath+"/federation",schemaPath:"#/properties/federation/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
validate53.errors = vErrors;
return false;
}
else {
errors = _errs20;
if(vErrors !== null){
if(_errs20){
vErrors.length = _errs20;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs19 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.callback !== undefined){
let data9 = data.callback;
const _errs24 = errors;
const _errs25 = errors;
let valid4 = false;
const _errs26 = errors;
if(!(validate70(data9, {instancePath:instancePath+"/callback",parentData:data,parentDataProperty:"callback",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate70.errors : vErrors.concat(validate70.errors);
errors = vErrors.length;
}
var _valid2 = _errs26 === errors;
valid4 = valid4 || _valid2;
const _errs27 = errors;
if(data9 !== null){
const err4 = {instancePath:instancePath+"/callback",schemaPath:"#/properties/callback/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
var _valid2 = _errs27 === errors;
valid4 = valid4 || _valid2;
if(!valid4){
const err5 = {instancePath:instancePath+"/callback",schemaPath:"#/properties/callback/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
validate53.errors = vErrors;
return false;
}
else {
errors = _errs25;
if(vErrors !== null){
if(_errs25){
vErrors.length = _errs25;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs24 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.observability !== undefined){
let data10 = data.observability;
const _errs29 = errors;
const _errs30 = errors;
let valid5 = false;
const _errs31 = errors;
if(!(validate72(data10, {instancePath:instancePath+"/observability",parentData:data,parentDataProperty:"observability",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate72.errors : vErrors.concat(validate72.errors);
errors = vErrors.length;
}
var _valid3 = _errs31 === errors;
valid5 = valid5 || _valid3;
const _errs32 = errors;
if(data10 !== null){
const err6 = {instancePath:instancePath+"/observability",schemaPath:"#/properties/observability/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
var _valid3 = _errs32 === errors;
valid5 = valid5 || _valid3;
if(!valid5){
const err7 = {instancePath:instancePath+"/observability",schemaPath:"#/properties/observability/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
validate53.errors = vErrors;
return false;
}
else {
errors = _errs30;
if(vErrors !== null){
if(_errs30){
vErrors.length = _errs30;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs29 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.compliance !== undefined){
let data11 = data.compliance;
const _errs34 = errors;
const _errs35 = errors;
let valid6 = false;
const _errs36 = errors;
if(!(validate74(data11, {instancePath:instancePath+"/compliance",parentData:data,parentDataProperty:"compliance",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate74.errors : vErrors.concat(validate74.errors);
errors = vErrors.length;
}
var _valid4 = _errs36 === errors;
valid6 = valid6 || _valid4;
const _errs37 = errors;
if(data11 !== null){
const err8 = {instancePath:instancePath+"/compliance",schemaPath:"#/properties/compliance/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
var _valid4 = _errs37 === errors;
valid6 = valid6 || _valid4;
if(!valid6){
const err9 = {instancePath:instancePath+"/compliance",schemaPath:"#/properties/compliance/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
validate53.errors = vErrors;
return false;
}
else {
errors = _errs35;
if(vErrors !== null){
if(_errs35){
vErrors.length = _errs35;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs34 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.identity !== undefined){
let data12 = data.identity;
const _errs39 = errors;
const _errs40 = errors;
let valid7 = false;
const _errs41 = errors;
if(!(validate76(data12, {instancePath:instancePath+"/identity",parentData:data,parentDataProperty:"identity",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate76.errors : vErrors.concat(validate76.errors);
errors = vErrors.length;
}
var _valid5 = _errs41 === errors;
valid7 = valid7 || _valid5;
const _errs42 = errors;
if(data12 !== null){
const err10 = {instancePath:instancePath+"/identity",schemaPath:"#/properties/identity/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
var _valid5 = _errs42 === errors;
valid7 = valid7 || _valid5;
if(!valid7){
const err11 = {instancePath:instancePath+"/identity",schemaPath:"#/properties/identity/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
validate53.errors = vErrors;
return false;
}
else {
errors = _errs40;
if(vErrors !== null){
if(_errs40){
vErrors.length = _errs40;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs39 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.approval !== undefined){
let data13 = data.approval;
const _errs44 = errors;
const _errs45 = errors;
let valid8 = false;
const _errs46 = errors;
if(!(validate91(data13, {instancePath:instancePath+"/approval",parentData:data,parentDataProperty:"approval",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate91.errors : vErrors.concat(validate91.errors);
errors = vErrors.length;
}
var _valid6 = _errs46 === errors;
valid8 = valid8 || _valid6;
const _errs47 = errors;
if(data13 !== null){
const err12 = {instancePath:instancePath+"/approval",schemaPath:"#/properties/approval/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
var _valid6 = _errs47 === errors;
valid8 = valid8 || _valid6;
if(!valid8){
const err13 = {instancePath:instancePath+"/approval",schemaPath:"#/properties/approval/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
validate53.errors = vErrors;
return false;
}
else {
errors = _errs45;
if(vErrors !== null){
if(_errs45){
vErrors.length = _errs45;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs44 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.transaction !== undefined){
let data14 = data.transaction;
const _errs49 = errors;
const _errs50 = errors;
let valid9 = false;
const _errs51 = errors;
if(!(validate98(data14, {instancePath:instancePath+"/transaction",parentData:data,parentDataProperty:"transaction",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate98.errors : vErrors.concat(validate98.errors);
errors = vErrors.length;
}
var _valid7 = _errs51 === errors;
valid9 = valid9 || _valid7;
const _errs52 = errors;
if(data14 !== null){
const err14 = {instancePath:instancePath+"/transaction",schemaPath:"#/properties/transaction/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
var _valid7 = _errs52 === errors;
valid9 = valid9 || _valid7;
if(!valid9){
const err15 = {instancePath:instancePath+"/transaction",schemaPath:"#/properties/transaction/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
validate53.errors = vErrors;
return false;
}
else {
errors = _errs50;
if(vErrors !== null){
if(_errs50){
vErrors.length = _errs50;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs49 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate53.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate53.errors = vErrors;
return errors === 0;
}
validate53.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ActionResult = validate100;
const schema40 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/action_result.schema.json","title":"ActionResult","description":"Result of an action.","type":"object","required":["action_id","status"],"properties":{"action_id":{"type":"string"},"status":{"enum":["completed","failed","cancelled","pending_approval","requires_human"]},"output":{},"message":{"type":"array","items":{"$ref":"message_part.schema.json"}},"memory_update":{},"usage":{"anyOf":[{"$ref":"usage.schema.json"},{"type":"null"}]},"receipt":{"anyOf":[{"$ref":"receipt_ref.schema.json"},{"type":"null"}]},"error":{"anyOf":[{"$ref":"protocol_error.schema.json"},{"type":"null"}]}},"additionalProperties":false};
const schema41 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/message_part.schema.json","title":"MessagePart","description":"A piece of content.","type":"object","required":["type"],"oneOf":[{"type":"object","required":["type","text"],"properties":{"type":{"const":"text"},"text":{"type":"string"},"format":{"type":["string","null"]}},"additionalProperties":false},{"type":"object","required":["type","mime_type"],"properties":{"type":{"const":"image"},"mime_type":{"type":"string"},"url":{"type":["string","null"]},"data":{"type":["string","null"]},"alt":{"type":["string","null"]}},"additionalProperties":false},{"type":"object","required":["type","mime_type","filename"],"properties":{"type":{"const":"file"},"mime_type":{"type":"string"},"filename":{"type":"string"},"url":{"type":["string","null"]},"data":{"type":["string","null"]},"size_bytes":{"type":["integer","null"],"minimum":0}},"additionalProperties":false},{"type":"object","required":["type","mime_type"],"properties":{"type":{"const":"audio"},"mime_type":{"type":"string"},"url":{"type":["string","null"]},"data":{"type":["string","null"]},"transcript":{"type":["string","null"]}},"additionalProperties":false},{"type":"object","required":["type","fields","actions"],"properties":{"type":{"const":"form"},"fields":{"type":"array","items":{}},"actions":{"type":"array","items":{}}},"additionalProperties":false},{"type":"object","required":["type","title","body"],"properties":{"type":{"const":"card"},"title":{"type":"string"},"body":{"type":"string"},"actions":{"type":"array","items":{}},"media":{}},"additionalProperties":false},{"type":"object","required":["type","data"],"properties":{"type":{"const":"json"},"data":{},"schema":{}},"additionalProperties":false},{"type":"object","required":["type","tool_call_id"],"properties":{"type":{"const":"tool_result"},"tool_call_id":{"type":"string"},"data":{},"error":{}},"additionalProperties":false}],"discriminator":{"propertyName":"type"}};

function validate101(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/message_part.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate101.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.type === undefined) && (missing0 = "type")){
validate101.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const tag0 = data.type;
if(typeof tag0 == "string"){
if(tag0 === "text"){
const _errs2 = errors;
if(errors === _errs2){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing1;
if(((data.type === undefined) && (missing1 = "type")) || ((data.text === undefined) && (missing1 = "text"))){
validate101.errors = [{instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}
else {
const _errs4 = errors;
for(const key0 in data){
if(!(((key0 === "type") || (key0 === "text")) || (key0 === "format"))){
validate101.errors = [{instancePath,schemaPath:"#/oneOf/0/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs4 === errors){
if(data.type !== undefined){
const _errs5 = errors;
if("text" !== data.type){
validate101.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/0/properties/type/const",keyword:"const",params:{allowedValue: "text"},message:"must be equal to constant"}];
return false;
}
var valid2 = _errs5 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data.text !== undefined){
const _errs6 = errors;
if(typeof data.text !== "string"){
validate101.errors = [{instancePath:instancePath+"/text",schemaPath:"#/oneOf/0/properties/text/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs6 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data.format !== undefined){
let data2 = data.format;
const _errs8 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate101.errors = [{instancePath:instancePath+"/format",schemaPath:"#/oneOf/0/properties/format/type",keyword:"type",params:{type: schema41.oneOf[0].properties.format.type},message:"must be string,null"}];
return false;
}
var valid2 = _errs8 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
}
else {
validate101.errors = [{instancePath,schemaPath:"#/oneOf/0/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var props0 = true;
}
else if(tag0 === "image"){
const _errs10 = errors;
if(errors === _errs10){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing2;
if(((data.type === undefined) && (missing2 = "type")) || ((data.mime_type === undefined) && (missing2 = "mime_type"))){
validate101.errors = [{instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing2},message:"must have required property '"+missing2+"'"}];
return false;
}
else {
const _errs12 = errors;
for(const key1 in data){
if(!(((((key1 === "type") || (key1 === "mime_type")) || (key1 === "url")) || (key1 === "data")) || (key1 === "alt"))){
validate101.errors = [{instancePath,schemaPath:"#/oneOf/1/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs12 === errors){
if(data.type !== undefined){
const _errs13 = errors;
if("image" !== data.type){
validate101.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/1/properties/type/const",keyword:"const",params:{allowedValue: "image"},message:"must be equal to constant"}];
return false;
}
var valid4 = _errs13 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data.mime_type !== undefined){
const _errs14 = errors;
if(typeof data.mime_type !== "string"){
validate101.errors = [{instancePath:instancePath+"/mime_type",schemaPath:"#/oneOf/1/properties/mime_type/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid4 = _errs14 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data.url !== undefined){
let data5 = data.url;
const _errs16 = errors;
if((typeof data5 !== "string") && (data5 !== null)){
validate101.errors = [{instancePath:instancePath+"/url",schemaPath:"#/oneOf/1/properties/url/type",keyword:"type",params:{type: schema41.oneOf[1].properties.url.type},message:"must be string,null"}];
return false;
}
var valid4 = _errs16 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data.data !== undefined){
let data6 = data.data;
const _errs18 = errors;
if((typeof data6 !== "string") && (data6 !== null)){
validate101.errors = [{instancePath:instancePath+"/data",schemaPath:"#/oneOf/1/properties/data/type",keyword:"type",params:{type: schema41.oneOf[1].properties.data.type},message:"must be string,null"}];
return false;
}
var valid4 = _errs18 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data.alt !== undefined){
let data7 = data.alt;
const _errs20 = errors;
if((typeof data7 !== "string") && (data7 !== null)){
validate101.errors = [{instancePath:instancePath+"/alt",schemaPath:"#/oneOf/1/properties/alt/type",keyword:"type",params:{type: schema41.oneOf[1].properties.alt.type},message:"must be string,null"}];
return false;
}
var valid4 = _errs20 === errors;
}
else {
var valid4 = true;
}
}
}
}
}
}
}
}
else {
validate101.errors = [{instancePath,schemaPath:"#/oneOf/1/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props0 !== true){
props0 = true;
}
}
else if(tag0 === "file"){
const _errs22 = errors;
if(errors === _errs22){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing3;
if((((data.type === undefined) && (missing3 = "type")) || ((data.mime_type === undefined) && (missing3 = "mime_type"))) || ((data.filename === undefined) && (missing3 = "filename"))){
validate101.errors = [{instancePath,schemaPath:"#/oneOf/2/required",keyword:"required",params:{missingProperty: missing3},message:"must have required property '"+missing3+"'"}];
return false;
}
else {
const _errs24 = errors;
for(const key2 in data){
if(!((((((key2 === "type") || (key2 === "mime_type")) || (key2 === "filename")) || (key2 === "url")) || (key2 === "data")) || (key2 === "size_bytes"))){
validate101.errors = [{instancePath,schemaPath:"#/oneOf/2/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs24 === errors){
if(data.type !== undefined){
const _errs25 = errors;
if("file" !== data.type){
validate101.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/2/properties/type/const",keyword:"const",params:{allowedValue: "file"},message:"must be equal to constant"}];
return false;
}
var valid6 = _errs25 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data.mime_type !== undefined){
const _errs26 = errors;
if(typeof data.mime_type !== "string"){
validate101.errors = [{instancePath:instancePath+"/mime_type",schemaPath:"#/oneOf/2/properties/mime_type/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid6 = _errs26 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data.filename !== undefined){
const _errs28 = errors;
if(typeof data.filename !== "string"){
validate101.errors = [{instancePath:instancePath+"/filename",schemaPath:"#/oneOf/2/properties/filename/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid6 = _errs28 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data.url !== undefined){
let data11 = data.url;
const _errs30 = errors;
if((typeof data11 !== "string") && (data11 !== null)){
validate101.errors = [{instancePath:instancePath+"/url",schemaPath:"#/oneOf/2/properties/url/type",keyword:"type",params:{type: schema41.oneOf[2].properties.url.type},message:"must be string,null"}];
return false;
}
var valid6 = _errs30 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data.data !== undefined){
let data12 = data.data;
const _errs32 = errors;
if((typeof data12 !== "string") && (data12 !== null)){
validate101.errors = [{instancePath:instancePath+"/data",schemaPath:"#/oneOf/2/properties/data/type",keyword:"type",params:{type: schema41.oneOf[2].properties.data.type},message:"must be string,null"}];
return false;
}
var valid6 = _errs32 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data.size_bytes !== undefined){
let data13 = data.size_bytes;
const _errs34 = errors;
if((!(((typeof data13 == "number") && (!(data13 % 1) && !isNaN(data13))) && (isFinite(data13)))) && (data13 !== null)){
validate101.errors = [{instancePath:instancePath+"/size_bytes",schemaPath:"#/oneOf/2/properties/size_bytes/type",keyword:"type",params:{type: schema41.oneOf[2].properties.size_bytes.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs34){
if((typeof data13 == "number") && (isFinite(data13))){
if(data13 < 0 || isNaN(data13)){
validate101.errors = [{instancePath:instancePath+"/size_bytes",schemaPath:"#/oneOf/2/properties/size_bytes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid6 = _errs34 === errors;
}
else {
var valid6 = true;
}
}
}
}
}
}
}
}
}
else {
validate101.errors = [{instancePath,schemaPath:"#/oneOf/2/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props0 !== true){
props0 = true;
}
}
else if(tag0 === "audio"){
const _errs36 = errors;
if(errors === _errs36){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing4;
if(((data.type === undefined) && (missing4 = "type")) || ((data.mime_type === undefined) && (missing4 = "mime_type"))){
validate101.errors = [{instancePath,schemaPath:"#/oneOf/3/required",keyword:"required",params:{missingProperty: missing4},message:"must have required property '"+missing4+"'"}];
return false;
}
else {
const _errs38 = errors;
for(const key3 in data){
if(!(((((key3 === "type") || (key3 === "mime_type")) || (key3 === "url")) || (key3 === "data")) || (key3 === "transcript"))){
validate101.errors = [{instancePath,schemaPath:"#/oneOf/3/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs38 === errors){
if(data.type !== undefined){
const _errs39 = errors;
if("audio" !== data.type){
validate101.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/3/properties/type/const",keyword:"const",params:{allowedValue: "audio"},message:"must be equal to constant"}];
return false;
}
var valid8 = _errs39 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data.mime_type !== undefined){
const _errs40 = errors;
if(typeof data.mime_type !== "string"){
validate101.errors = [{instancePath:instancePath+"/mime_type",schemaPath:"#/oneOf/3/properties/mime_type/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid8 = _errs40 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data.url !== undefined){
let data16 = data.url;
const _errs42 = errors;
if((typeof data16 !== "string") && (data16 !== null)){
validate101.errors = [{instancePath:instancePath+"/url",schemaPath:"#/oneOf/3/properties/url/type",keyword:"type",params:{type: schema41.oneOf[3].properties.url.type},message:"must be string,null"}];
return false;
}
var valid8 = _errs42 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data.data !== undefined){
let data17 = data.data;
const _errs44 = errors;
if((typeof data17 !== "string") && (data17 !== null)){
validate101.errors = [{instancePath:instancePath+"/data",schemaPath:"#/oneOf/3/properties/data/type",keyword:"type",params:{type: schema41.oneOf[3].properties.data.type},message:"must be string,null"}];
return false;
}
var valid8 = _errs44 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data.transcript !== undefined){
let data18 = data.transcript;
const _errs46 = errors;
if((typeof data18 !== "string") && (data18 !== null)){
validate101.errors = [{instancePath:instancePath+"/transcript",schemaPath:"#/oneOf/3/properties/transcript/type",keyword:"type",params:{type: schema41.oneOf[3].properties.transcript.type},message:"must be string,null"}];
return false;
}
var valid8 = _errs46 === errors;
}
else {
var valid8 = true;
}
}
}
}
}
}
}
}
else {
validate101.errors = [{instancePath,schemaPath:"#/oneOf/3/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props0 !== true){
props0 = true;
}
}
else if(tag0 === "form"){
const _errs48 = errors;
if(errors === _errs48){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing5;
if((((data.type === undefined) && (missing5 = "type")) || ((data.fields === undefined) && (missing5 = "fields"))) || ((data.actions === undefined) && (missing5 = "actions"))){
validate101.errors = [{instancePath,schemaPath:"#/oneOf/4/required",keyword:"required",params:{missingProperty: missing5},message:"must have required property '"+missing5+"'"}];
return false;
}
else {
const _errs50 = errors;
for(const key4 in data){
if(!(((key4 === "type") || (key4 === "fields")) || (key4 === "actions"))){
validate101.errors = [{instancePath,schemaPath:"#/oneOf/4/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key4},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs50 === errors){
if(data.type !== undefined){
const _errs51 = errors;
if("form" !== data.type){
validate101.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/4/properties/type/const",keyword:"const",params:{allowedValue: "form"},message:"must be equal to constant"}];
return false;
}
var valid10 = _errs51 === errors;
}
else {
var valid10 = true;
}
if(valid10){
if(data.fields !== undefined){
const _errs52 = errors;
if(errors === _errs52){
if(!(Array.isArray(data.fields))){
validate101.errors = [{instancePath:instancePath+"/fields",schemaPath:"#/oneOf/4/properties/fields/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid10 = _errs52 === errors;
}
else {
var valid10 = true;
}
if(valid10){
if(data.actions !== undefined){
const _errs54 = errors;
if(errors === _errs54){
if(!(Array.isArray(data.actions))){
validate101.errors = [{instancePath:instancePath+"/actions",schemaPath:"#/oneOf/4/properties/actions/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid10 = _errs54 === errors;
}
else {
var valid10 = true;
}
}
}
}
}
}
else {
validate101.errors = [{instancePath,schemaPath:"#/oneOf/4/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props0 !== true){
props0 = true;
}
}
else if(tag0 === "card"){
const _errs56 = errors;
if(errors === _errs56){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing6;
if((((data.type === undefined) && (missing6 = "type")) || ((data.title === undefined) && (missing6 = "title"))) || ((data.body === undefined) && (missing6 = "body"))){
validate101.errors = [{instancePath,schemaPath:"#/oneOf/5/required",keyword:"required",params:{missingProperty: missing6},message:"must have required property '"+missing6+"'"}];
return false;
}
else {
const _errs58 = errors;
for(const key5 in data){
if(!(((((key5 === "type") || (key5 === "title")) || (key5 === "body")) || (key5 === "actions")) || (key5 === "media"))){
validate101.errors = [{instancePath,schemaPath:"#/oneOf/5/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key5},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs58 === errors){
if(data.type !== undefined){
const _errs59 = errors;
if("card" !== data.type){
validate101.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/5/properties/type/const",keyword:"const",params:{allowedValue: "card"},message:"must be equal to constant"}];
return false;
}
var valid12 = _errs59 === errors;
}
else {
var valid12 = true;
}
if(valid12){
if(data.title !== undefined){
const _errs60 = errors;
if(typeof data.title !== "string"){
validate101.errors = [{instancePath:instancePath+"/title",schemaPath:"#/oneOf/5/properties/title/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid12 = _errs60 === errors;
}
else {
var valid12 = true;
}
if(valid12){
if(data.body !== undefined){
const _errs62 = errors;
if(typeof data.body !== "string"){
validate101.errors = [{instancePath:instancePath+"/body",schemaPath:"#/oneOf/5/properties/body/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid12 = _errs62 === errors;
}
else {
var valid12 = true;
}
if(valid12){
if(data.actions !== undefined){
const _errs64 = errors;
if(errors === _errs64){
if(!(Array.isArray(data.actions))){
validate101.errors = [{instancePath:instancePath+"/actions",schemaPath:"#/oneOf/5/properties/actions/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid12 = _errs64 === errors;
}
else {
var valid12 = true;
}
}
}
}
}
}
}
else {
validate101.errors = [{instancePath,schemaPath:"#/oneOf/5/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props0 !== true){
props0 = true;
}
}
else if(tag0 === "json"){
const _errs66 = errors;
if(errors === _errs66){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing7;
if(((data.type === undefined) && (missing7 = "type")) || ((data.data === undefined) && (missing7 = "data"))){
validate101.errors = [{instancePath,schemaPath:"#/oneOf/6/required",keyword:"required",params:{missingProperty: missing7},message:"must have required property '"+missing7+"'"}];
return false;
}
else {
const _errs68 = errors;
for(const key6 in data){
if(!(((key6 === "type") || (key6 === "data")) || (key6 === "schema"))){
validate101.errors = [{instancePath,schemaPath:"#/oneOf/6/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key6},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs68 === errors){
if(data.type !== undefined){
if("json" !== data.type){
validate101.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/6/properties/type/const",keyword:"const",params:{allowedValue: "json"},message:"must be equal to constant"}];
return false;
}
}
}
}
}
else {
validate101.errors = [{instancePath,schemaPath:"#/oneOf/6/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props0 !== true){
props0 = true;
}
}
else if(tag0 === "tool_result"){
const _errs70 = errors;
if(errors === _errs70){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing8;
if(((data.type === undefined) && (missing8 = "type")) || ((data.tool_call_id === undefined) && (missing8 = "tool_call_id"))){
validate101.errors = [{instancePath,schemaPath:"#/oneOf/7/required",keyword:"required",params:{missingProperty: missing8},message:"must have required property '"+missing8+"'"}];
return false;
}
else {
const _errs72 = errors;
for(const key7 in data){
if(!((((key7 === "type") || (key7 === "tool_call_id")) || (key7 === "data")) || (key7 === "error"))){
validate101.errors = [{instancePath,schemaPath:"#/oneOf/7/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key7},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs72 === errors){
if(data.type !== undefined){
const _errs73 = errors;
if("tool_result" !== data.type){
validate101.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/7/properties/type/const",keyword:"const",params:{allowedValue: "tool_result"},message:"must be equal to constant"}];
return false;
}
var valid16 = _errs73 === errors;
}
else {
var valid16 = true;
}
if(valid16){
if(data.tool_call_id !== undefined){
const _errs74 = errors;
if(typeof data.tool_call_id !== "string"){
validate101.errors = [{instancePath:instancePath+"/tool_call_id",schemaPath:"#/oneOf/7/properties/tool_call_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid16 = _errs74 === errors;
}
else {
var valid16 = true;
}
}
}
}
}
else {
validate101.errors = [{instancePath,schemaPath:"#/oneOf/7/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props0 !== true){
props0 = true;
}
}
else {
validate101.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{error: "mapping", tag: "type", tagValue: tag0},message:"value of tag \"type\" must be in oneOf"}];
return false;
}
}
else {
validate101.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{error: "tag", tag: "type", tagValue: tag0},message:"tag \"type\" must be string"}];
return false;
}
}
}
else {
validate101.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate101.errors = vErrors;
evaluated0.props = props0;
return errors === 0;
}
validate101.evaluated = {"dynamicProps":true,"dynamicItems":false};

const schema42 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/usage.schema.json","title":"Usage","description":"What an action used.","type":"object","required":[],"properties":{"tokens":{},"tools":{},"latency_ms":{"type":["integer","null"],"minimum":0},"cost":{}},"additionalProperties":false};

function validate103(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/usage.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate103.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "tokens") || (key0 === "tools")) || (key0 === "latency_ms")) || (key0 === "cost"))){
validate103.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.latency_ms !== undefined){
let data0 = data.latency_ms;
const _errs2 = errors;
if((!(((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0))) && (isFinite(data0)))) && (data0 !== null)){
validate103.errors = [{instancePath:instancePath+"/latency_ms",schemaPath:"#/properties/latency_ms/type",keyword:"type",params:{type: schema42.properties.latency_ms.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs2){
if((typeof data0 == "number") && (isFinite(data0))){
if(data0 < 0 || isNaN(data0)){
validate103.errors = [{instancePath:instancePath+"/latency_ms",schemaPath:"#/properties/latency_ms/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
}
}
}
else {
validate103.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate103.errors = vErrors;
return errors === 0;
}
validate103.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema43 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/receipt_ref.schema.json","title":"ReceiptRef","description":"Id and hash of a receipt.","type":"object","required":["id","hash"],"properties":{"id":{"type":"string"},"hash":{"type":"string"}},"additionalProperties":false};

function validate105(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/receipt_ref.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate105.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.id === undefined) && (missing0 = "id")) || ((data.hash === undefined) && (missing0 = "hash"))){
validate105.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "id") || (key0 === "hash"))){
validate105.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate105.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.hash !== undefined){
const _errs4 = errors;
if(typeof data.hash !== "string"){
validate105.errors = [{instancePath:instancePath+"/hash",schemaPath:"#/properties/hash/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate105.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate105.errors = vErrors;
return errors === 0;
}
validate105.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema44 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/protocol_error.schema.json","title":"ProtocolError","description":"A failure on the wire.","type":"object","required":["code","message","category"],"properties":{"code":{"type":"string"},"message":{"type":"string"},"category":{"enum":["temporary","permanent","auth","policy","economic","connector","transport"]},"retryable":{"type":["boolean","null"]},"retry_after_ms":{"type":["integer","null"],"minimum":0},"details":{},"source":{}},"additionalProperties":false};

function validate107(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/protocol_error.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate107.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.code === undefined) && (missing0 = "code")) || ((data.message === undefined) && (missing0 = "message"))) || ((data.category === undefined) && (missing0 = "category"))){
validate107.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((((key0 === "code") || (key0 === "message")) || (key0 === "category")) || (key0 === "retryable")) || (key0 === "retry_after_ms")) || (key0 === "details")) || (key0 === "source"))){
validate107.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.code !== undefined){
const _errs2 = errors;
if(typeof data.code !== "string"){
validate107.errors = [{instancePath:instancePath+"/code",schemaPath:"#/properties/code/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.message !== undefined){
const _errs4 = errors;
if(typeof data.message !== "string"){
validate107.errors = [{instancePath:instancePath+"/message",schemaPath:"#/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.category !== undefined){
let data2 = data.category;
const _errs6 = errors;
if(!(((((((data2 === "temporary") || (data2 === "permanent")) || (data2 === "auth")) || (data2 === "policy")) || (data2 === "economic")) || (data2 === "connector")) || (data2 === "transport"))){
validate107.errors = [{instancePath:instancePath+"/category",schemaPath:"#/properties/category/enum",keyword:"enum",params:{allowedValues: schema44.properties.category.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.retryable !== undefined){
let data3 = data.retryable;
const _errs7 = errors;
if((typeof data3 !== "boolean") && (data3 !== null)){
validate107.errors = [{instancePath:instancePath+"/retryable",schemaPath:"#/properties/retryable/type",keyword:"type",params:{type: schema44.properties.retryable.type},message:"must be boolean,null"}];
return false;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.retry_after_ms !== undefined){
let data4 = data.retry_after_ms;
const _errs9 = errors;
if((!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))) && (data4 !== null)){
validate107.errors = [{instancePath:instancePath+"/retry_after_ms",schemaPath:"#/properties/retry_after_ms/type",keyword:"type",params:{type: schema44.properties.retry_after_ms.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs9){
if((typeof data4 == "number") && (isFinite(data4))){
if(data4 < 0 || isNaN(data4)){
validate107.errors = [{instancePath:instancePath+"/retry_after_ms",schemaPath:"#/properties/retry_after_ms/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
else {
validate107.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate107.errors = vErrors;
return errors === 0;
}
validate107.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate100(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/action_result.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate100.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.action_id === undefined) && (missing0 = "action_id")) || ((data.status === undefined) && (missing0 = "status"))){
validate100.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((((((key0 === "action_id") || (key0 === "status")) || (key0 === "output")) || (key0 === "message")) || (key0 === "memory_update")) || (key0 === "usage")) || (key0 === "receipt")) || (key0 === "error"))){
validate100.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.action_id !== undefined){
const _errs2 = errors;
if(typeof data.action_id !== "string"){
validate100.errors = [{instancePath:instancePath+"/action_id",schemaPath:"#/properties/action_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.status !== undefined){
let data1 = data.status;
const _errs4 = errors;
if(!(((((data1 === "completed") || (data1 === "failed")) || (data1 === "cancelled")) || (data1 === "pending_approval")) || (data1 === "requires_human"))){
validate100.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/enum",keyword:"enum",params:{allowedValues: schema40.properties.status.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.message !== undefined){
let data2 = data.message;
const _errs5 = errors;
if(errors === _errs5){
if(Array.isArray(data2)){
var valid1 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
const _errs7 = errors;
if(!(validate101(data2[i0], {instancePath:instancePath+"/message/" + i0,parentData:data2,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate101.errors : vErrors.concat(validate101.errors);
errors = vErrors.length;
}
var valid1 = _errs7 === errors;
if(!valid1){
break;
}
}
}
else {
validate100.errors = [{instancePath:instancePath+"/message",schemaPath:"#/properties/message/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.usage !== undefined){
let data4 = data.usage;
const _errs8 = errors;
const _errs9 = errors;
let valid2 = false;
const _errs10 = errors;
if(!(validate103(data4, {instancePath:instancePath+"/usage",parentData:data,parentDataProperty:"usage",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate103.errors : vErrors.concat(validate103.errors);
errors = vErrors.length;
}
var _valid0 = _errs10 === errors;
valid2 = valid2 || _valid0;
const _errs11 = errors;
if(data4 !== null){
const err0 = {instancePath:instancePath+"/usage",schemaPath:"#/properties/usage/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs11 === errors;
valid2 = valid2 || _valid0;
if(!valid2){
const err1 = {instancePath:instancePath+"/usage",schemaPath:"#/properties/usage/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate100.errors = vErrors;
return false;
}
else {
errors = _errs9;
if(vErrors !== null){
if(_errs9){
vErrors.length = _errs9;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.receipt !== undefined){
let data5 = data.receipt;
const _errs13 = errors;
const _errs14 = errors;
let valid3 = false;
const _errs15 = errors;
if(!(validate105(data5, {instancePath:instancePath+"/receipt",parentData:data,parentDataProperty:"receipt",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate105.errors : vErrors.concat(validate105.errors);
errors = vErrors.length;
}
var _valid1 = _errs15 === errors;
valid3 = valid3 || _valid1;
const _errs16 = errors;
if(data5 !== null){
const err2 = {instancePath:instancePath+"/receipt",schemaPath:"#/properties/receipt/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
var _valid1 = _errs16 === errors;
valid3 = valid3 || _valid1;
if(!valid3){
const err3 = {instancePath:instancePath+"/receipt",schemaPath:"#/properties/receipt/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
validate100.errors = vErrors;
return false;
}
else {
errors = _errs14;
if(vErrors !== null){
if(_errs14){
vErrors.length = _errs14;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.error !== undefined){
let data6 = data.error;
const _errs18 = errors;
const _errs19 = errors;
let valid4 = false;
const _errs20 = errors;
if(!(validate107(data6, {instancePath:instancePath+"/error",parentData:data,parentDataProperty:"error",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate107.errors : vErrors.concat(validate107.errors);
errors = vErrors.length;
}
var _valid2 = _errs20 === errors;
valid4 = valid4 || _valid2;
const _errs21 = errors;
if(data6 !== null){
const err4 = {instancePath:instancePath+"/error",schemaPath:"#/properties/error/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
var _valid2 = _errs21 === errors;
valid4 = valid4 || _valid2;
if(!valid4){
const err5 = {instancePath:instancePath+"/error",schemaPath:"#/properties/error/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
validate100.errors = vErrors;
return false;
}
else {
errors = _errs19;
if(vErrors !== null){
if(_errs19){
vErrors.length = _errs19;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs18 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
else {
validate100.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate100.errors = vErrors;
return errors === 0;
}
validate100.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ActionTransaction = validate98;

export const ApprovalConstraint = validate93;

export const ApprovalDecision = validate91;

export const Callback = validate70;

export const Cancel = validate109;
const schema45 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/cancel.schema.json","title":"Cancel","description":"Request to cancel.","type":"object","required":["target"],"properties":{"target":{"$ref":"cancel_target.schema.json"},"reason":{"type":["string","null"]}},"additionalProperties":false};
const schema46 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/cancel_target.schema.json","title":"CancelTarget","description":"What is cancelled: an action or a session.","type":"object","minProperties":1,"maxProperties":1,"properties":{"action":{"type":"string"},"session":{"type":"string"}},"additionalProperties":false};

function validate110(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/cancel_target.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate110.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
validate110.errors = [{instancePath,schemaPath:"#/maxProperties",keyword:"maxProperties",params:{limit: 1},message:"must NOT have more than 1 properties"}];
return false;
}
else {
if(Object.keys(data).length < 1){
validate110.errors = [{instancePath,schemaPath:"#/minProperties",keyword:"minProperties",params:{limit: 1},message:"must NOT have fewer than 1 properties"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "action") || (key0 === "session"))){
validate110.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.action !== undefined){
const _errs2 = errors;
if(typeof data.action !== "string"){
validate110.errors = [{instancePath:instancePath+"/action",schemaPath:"#/properties/action/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.session !== undefined){
const _errs4 = errors;
if(typeof data.session !== "string"){
validate110.errors = [{instancePath:instancePath+"/session",schemaPath:"#/properties/session/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate110.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate110.errors = vErrors;
return errors === 0;
}
validate110.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate109(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/cancel.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate109.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.target === undefined) && (missing0 = "target")){
validate109.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "target") || (key0 === "reason"))){
validate109.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.target !== undefined){
const _errs2 = errors;
if(!(validate110(data.target, {instancePath:instancePath+"/target",parentData:data,parentDataProperty:"target",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate110.errors : vErrors.concat(validate110.errors);
errors = vErrors.length;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.reason !== undefined){
let data1 = data.reason;
const _errs3 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate109.errors = [{instancePath:instancePath+"/reason",schemaPath:"#/properties/reason/type",keyword:"type",params:{type: schema45.properties.reason.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate109.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate109.errors = vErrors;
return errors === 0;
}
validate109.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const CancelTarget = validate110;

export const ComplianceContext = validate74;

export const Conversation = validate54;

export const CredentialRef = validate86;

export const DelegatedAuthorityGrant = validate59;

export const DelegationEntry = validate64;

export const ErrorBody = validate112;
const schema47 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/error_body.schema.json","title":"ErrorBody","description":"Body of an error envelope.","type":"object","required":["error"],"properties":{"error":{"$ref":"protocol_error.schema.json"}},"additionalProperties":false};

function validate112(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/error_body.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate112.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.error === undefined) && (missing0 = "error")){
validate112.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "error")){
validate112.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.error !== undefined){
if(!(validate107(data.error, {instancePath:instancePath+"/error",parentData:data,parentDataProperty:"error",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate107.errors : vErrors.concat(validate107.errors);
errors = vErrors.length;
}
}
}
}
}
else {
validate112.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate112.errors = vErrors;
return errors === 0;
}
validate112.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const Escalation = validate114;
const schema48 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/escalation.schema.json","title":"Escalation","description":"Calls a human.","type":"object","required":["kind","reason","requested_by"],"properties":{"kind":{"enum":["approval","input","handoff","policy_exception"]},"reason":{"type":"string"},"requested_by":{"$ref":"principal.schema.json"},"form":{},"risk":{"enum":["low","medium","high","critical",null]},"timeout_ms":{"type":["integer","null"],"minimum":0},"allowed_decisions":{"type":"array","items":{"enum":["approve","reject","modify","handoff","cancel"]}},"conversation":{"anyOf":[{"$ref":"conversation.schema.json"},{"type":"null"}]}},"additionalProperties":false};

function validate114(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/escalation.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate114.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.kind === undefined) && (missing0 = "kind")) || ((data.reason === undefined) && (missing0 = "reason"))) || ((data.requested_by === undefined) && (missing0 = "requested_by"))){
validate114.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((((((key0 === "kind") || (key0 === "reason")) || (key0 === "requested_by")) || (key0 === "form")) || (key0 === "risk")) || (key0 === "timeout_ms")) || (key0 === "allowed_decisions")) || (key0 === "conversation"))){
validate114.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.kind !== undefined){
let data0 = data.kind;
const _errs2 = errors;
if(!((((data0 === "approval") || (data0 === "input")) || (data0 === "handoff")) || (data0 === "policy_exception"))){
validate114.errors = [{instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/enum",keyword:"enum",params:{allowedValues: schema48.properties.kind.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.reason !== undefined){
const _errs3 = errors;
if(typeof data.reason !== "string"){
validate114.errors = [{instancePath:instancePath+"/reason",schemaPath:"#/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.requested_by !== undefined){
const _errs5 = errors;
if(!(validate57(data.requested_by, {instancePath:instancePath+"/requested_by",parentData:data,parentDataProperty:"requested_by",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.risk !== undefined){
let data3 = data.risk;
const _errs6 = errors;
if(!(((((data3 === "low") || (data3 === "medium")) || (data3 === "high")) || (data3 === "critical")) || (data3 === null))){
validate114.errors = [{instancePath:instancePath+"/risk",schemaPath:"#/properties/risk/enum",keyword:"enum",params:{allowedValues: schema48.properties.risk.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.timeout_ms !== undefined){
let data4 = data.timeout_ms;
const _errs7 = errors;
if((!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))) && (data4 !== null)){
validate114.errors = [{instancePath:instancePath+"/timeout_ms",schemaPath:"#/properties/timeout_ms/type",keyword:"type",params:{type: schema48.properties.timeout_ms.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs7){
if((typeof data4 == "number") && (isFinite(data4))){
if(data4 < 0 || isNaN(data4)){
validate114.errors = [{instancePath:instancePath+"/timeout_ms",schemaPath:"#/properties/timeout_ms/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.allowed_decisions !== undefined){
let data5 = data.allowed_decisions;
const _errs9 = errors;
if(errors === _errs9){
if(Array.isArray(data5)){
var valid1 = true;
const len0 = data5.length;
for(let i0=0; i0<len0; i0++){
let data6 = data5[i0];
const _errs11 = errors;
if(!(((((data6 === "approve") || (data6 === "reject")) || (data6 === "modify")) || (data6 === "handoff")) || (data6 === "cancel"))){
validate114.errors = [{instancePath:instancePath+"/allowed_decisions/" + i0,schemaPath:"#/properties/allowed_decisions/items/enum",keyword:"enum",params:{allowedValues: schema48.properties.allowed_decisions.items.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid1 = _errs11 === errors;
if(!valid1){
break;
}
}
}
else {
validate114.errors = [{instancePath:instancePath+"/allowed_decisions",schemaPath:"#/properties/allowed_decisions/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.conversation !== undefined){
let data7 = data.conversation;
const _errs12 = errors;
const _errs13 = errors;
let valid2 = false;
const _errs14 = errors;
if(!(validate54(data7, {instancePath:instancePath+"/conversation",parentData:data,parentDataProperty:"conversation",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate54.errors : vErrors.concat(validate54.errors);
errors = vErrors.length;
}
var _valid0 = _errs14 === errors;
valid2 = valid2 || _valid0;
const _errs15 = errors;
if(data7 !== null){
const err0 = {instancePath:instancePath+"/conversation",schemaPath:"#/properties/conversation/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs15 === errors;
valid2 = valid2 || _valid0;
if(!valid2){
const err1 = {instancePath:instancePath+"/conversation",schemaPath:"#/properties/conversation/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate114.errors = vErrors;
return false;
}
else {
errors = _errs13;
if(vErrors !== null){
if(_errs13){
vErrors.length = _errs13;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate114.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate114.errors = vErrors;
return errors === 0;
}
validate114.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const EscalationResolution = validate117;
const schema49 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/escalation_resolution.schema.json","title":"EscalationResolution","description":"Answer of the human.","type":"object","required":["status","resolved_by","resolved_at"],"properties":{"status":{"enum":["approved","rejected","modified","handoff_completed","expired","cancelled"]},"resolved_by":{"$ref":"principal.schema.json"},"resolved_at":{"type":"string"},"result":{}},"additionalProperties":false};

function validate117(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/escalation_resolution.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate117.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.status === undefined) && (missing0 = "status")) || ((data.resolved_by === undefined) && (missing0 = "resolved_by"))) || ((data.resolved_at === undefined) && (missing0 = "resolved_at"))){
validate117.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "status") || (key0 === "resolved_by")) || (key0 === "resolved_at")) || (key0 === "result"))){
validate117.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.status !== undefined){
let data0 = data.status;
const _errs2 = errors;
if(!((((((data0 === "approved") || (data0 === "rejected")) || (data0 === "modified")) || (data0 === "handoff_completed")) || (data0 === "expired")) || (data0 === "cancelled"))){
validate117.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/enum",keyword:"enum",params:{allowedValues: schema49.properties.status.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.resolved_by !== undefined){
const _errs3 = errors;
if(!(validate57(data.resolved_by, {instancePath:instancePath+"/resolved_by",parentData:data,parentDataProperty:"resolved_by",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.resolved_at !== undefined){
const _errs4 = errors;
if(typeof data.resolved_at !== "string"){
validate117.errors = [{instancePath:instancePath+"/resolved_at",schemaPath:"#/properties/resolved_at/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate117.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate117.errors = vErrors;
return errors === 0;
}
validate117.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const EvidenceArtifact = validate95;

export const ExternalAccountRef = validate79;

export const ExternalRef = validate55;

export const ExternalUserRef = validate81;

export const FederationContext = validate68;

export const Handshake = validate119;
const schema50 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/handshake.schema.json","title":"Handshake","description":"Opens a session.","type":"object","required":["client","purpose","profiles"],"properties":{"client":{"$ref":"principal.schema.json"},"purpose":{"type":"string"},"requested_capabilities":{"type":"array","items":{"type":"string"}},"profiles":{"type":"array","items":{"type":"string"}},"auth":{},"heartbeat":{},"encryption":{},"billing":{},"compliance_required":{"type":"array","items":{"type":"string"}}},"additionalProperties":false};

function validate119(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/handshake.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate119.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.client === undefined) && (missing0 = "client")) || ((data.purpose === undefined) && (missing0 = "purpose"))) || ((data.profiles === undefined) && (missing0 = "profiles"))){
validate119.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema50.properties, key0))){
validate119.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.client !== undefined){
const _errs2 = errors;
if(!(validate57(data.client, {instancePath:instancePath+"/client",parentData:data,parentDataProperty:"client",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.purpose !== undefined){
const _errs3 = errors;
if(typeof data.purpose !== "string"){
validate119.errors = [{instancePath:instancePath+"/purpose",schemaPath:"#/properties/purpose/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.requested_capabilities !== undefined){
let data2 = data.requested_capabilities;
const _errs5 = errors;
if(errors === _errs5){
if(Array.isArray(data2)){
var valid1 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
const _errs7 = errors;
if(typeof data2[i0] !== "string"){
validate119.errors = [{instancePath:instancePath+"/requested_capabilities/" + i0,schemaPath:"#/properties/requested_capabilities/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs7 === errors;
if(!valid1){
break;
}
}
}
else {
validate119.errors = [{instancePath:instancePath+"/requested_capabilities",schemaPath:"#/properties/requested_capabilities/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.profiles !== undefined){
let data4 = data.profiles;
const _errs9 = errors;
if(errors === _errs9){
if(Array.isArray(data4)){
var valid2 = true;
const len1 = data4.length;
for(let i1=0; i1<len1; i1++){
const _errs11 = errors;
if(typeof data4[i1] !== "string"){
validate119.errors = [{instancePath:instancePath+"/profiles/" + i1,schemaPath:"#/properties/profiles/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs11 === errors;
if(!valid2){
break;
}
}
}
else {
validate119.errors = [{instancePath:instancePath+"/profiles",schemaPath:"#/properties/profiles/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.compliance_required !== undefined){
let data6 = data.compliance_required;
const _errs13 = errors;
if(errors === _errs13){
if(Array.isArray(data6)){
var valid3 = true;
const len2 = data6.length;
for(let i2=0; i2<len2; i2++){
const _errs15 = errors;
if(typeof data6[i2] !== "string"){
validate119.errors = [{instancePath:instancePath+"/compliance_required/" + i2,schemaPath:"#/properties/compliance_required/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid3 = _errs15 === errors;
if(!valid3){
break;
}
}
}
else {
validate119.errors = [{instancePath:instancePath+"/compliance_required",schemaPath:"#/properties/compliance_required/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
else {
validate119.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate119.errors = vErrors;
return errors === 0;
}
validate119.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const HandshakeResponse = validate121;
const schema51 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/handshake_response.schema.json","title":"HandshakeResponse","description":"Answer to a handshake.","type":"object","required":["status"],"properties":{"status":{"enum":["accepted","rejected","redirect"]},"session_id":{"type":["string","null"]},"resume_token":{"type":["string","null"]},"server":{"anyOf":[{"$ref":"principal.schema.json"},{"type":"null"}]},"agreed_profiles":{"type":"array","items":{"type":"string"}},"agreed_capabilities":{"type":"array","items":{"type":"string"}},"heartbeat":{},"encryption":{},"billing":{},"redirect":{},"rejection_reason":{"anyOf":[{"$ref":"protocol_error.schema.json"},{"type":"null"}]}},"additionalProperties":false};

function validate121(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/handshake_response.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate121.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.status === undefined) && (missing0 = "status")){
validate121.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema51.properties, key0))){
validate121.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.status !== undefined){
let data0 = data.status;
const _errs2 = errors;
if(!(((data0 === "accepted") || (data0 === "rejected")) || (data0 === "redirect"))){
validate121.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/enum",keyword:"enum",params:{allowedValues: schema51.properties.status.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.session_id !== undefined){
let data1 = data.session_id;
const _errs3 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate121.errors = [{instancePath:instancePath+"/session_id",schemaPath:"#/properties/session_id/type",keyword:"type",params:{type: schema51.properties.session_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.resume_token !== undefined){
let data2 = data.resume_token;
const _errs5 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate121.errors = [{instancePath:instancePath+"/resume_token",schemaPath:"#/properties/resume_token/type",keyword:"type",params:{type: schema51.properties.resume_token.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.server !== undefined){
let data3 = data.server;
const _errs7 = errors;
const _errs8 = errors;
let valid1 = false;
const _errs9 = errors;
if(!(validate57(data3, {instancePath:instancePath+"/server",parentData:data,parentDataProperty:"server",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var _valid0 = _errs9 === errors;
valid1 = valid1 || _valid0;
const _errs10 = errors;
if(data3 !== null){
const err0 = {instancePath:instancePath+"/server",schemaPath:"#/properties/server/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs10 === errors;
valid1 = valid1 || _valid0;
if(!valid1){
const err1 = {instancePath:instancePath+"/server",schemaPath:"#/properties/server/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate121.errors = vErrors;
return false;
}
else {
errors = _errs8;
if(vErrors !== null){
if(_errs8){
vErrors.length = _errs8;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.agreed_profiles !== undefined){
let data4 = data.agreed_profiles;
const _errs12 = errors;
if(errors === _errs12){
if(Array.isArray(data4)){
var valid2 = true;
const len0 = data4.length;
for(let i0=0; i0<len0; i0++){
const _errs14 = errors;
if(typeof data4[i0] !== "string"){
validate121.errors = [{instancePath:instancePath+"/agreed_profiles/" + i0,schemaPath:"#/properties/agreed_profiles/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs14 === errors;
if(!valid2){
break;
}
}
}
else {
validate121.errors = [{instancePath:instancePath+"/agreed_profiles",schemaPath:"#/properties/agreed_profiles/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.agreed_capabilities !== undefined){
let data6 = data.agreed_capabilities;
const _errs16 = errors;
if(errors === _errs16){
if(Array.isArray(data6)){
var valid3 = true;
const len1 = data6.length;
for(let i1=0; i1<len1; i1++){
const _errs18 = errors;
if(typeof data6[i1] !== "string"){
validate121.errors = [{instancePath:instancePath+"/agreed_capabilities/" + i1,schemaPath:"#/properties/agreed_capabilities/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid3 = _errs18 === errors;
if(!valid3){
break;
}
}
}
else {
validate121.errors = [{instancePath:instancePath+"/agreed_capabilities",schemaPath:"#/properties/agreed_capabilities/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs16 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.rejection_reason !== undefined){
let data8 = data.rejection_reason;
const _errs20 = errors;
const _errs21 = errors;
let valid4 = false;
const _errs22 = errors;
if(!(validate107(data8, {instancePath:instancePath+"/rejection_reason",parentData:data,parentDataProperty:"rejection_reason",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate107.errors : vErrors.concat(validate107.errors);
errors = vErrors.length;
}
var _valid1 = _errs22 === errors;
valid4 = valid4 || _valid1;
const _errs23 = errors;
if(data8 !== null){
const err2 = {instancePath:instancePath+"/rejection_reason",schemaPath:"#/properties/rejection_reason/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
var _valid1 = _errs23 === errors;
valid4 = valid4 || _valid1;
if(!valid4){
const err3 = {instancePath:instancePath+"/rejection_reason",schemaPath:"#/properties/rejection_reason/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
validate121.errors = vErrors;
return false;
}
else {
errors = _errs21;
if(vErrors !== null){
if(_errs21){
vErrors.length = _errs21;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs20 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate121.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate121.errors = vErrors;
return errors === 0;
}
validate121.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const Heartbeat = validate124;
const schema52 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/heartbeat.schema.json","title":"Heartbeat","description":"Sign of life of a session.","type":"object","required":["sequence"],"properties":{"sequence":{"type":"integer","minimum":0},"status":{"type":["string","null"]},"progress":{"type":["number","null"]}},"additionalProperties":false};

function validate124(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/heartbeat.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate124.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.sequence === undefined) && (missing0 = "sequence")){
validate124.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "sequence") || (key0 === "status")) || (key0 === "progress"))){
validate124.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.sequence !== undefined){
let data0 = data.sequence;
const _errs2 = errors;
if(!(((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0))) && (isFinite(data0)))){
validate124.errors = [{instancePath:instancePath+"/sequence",schemaPath:"#/properties/sequence/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs2){
if((typeof data0 == "number") && (isFinite(data0))){
if(data0 < 0 || isNaN(data0)){
validate124.errors = [{instancePath:instancePath+"/sequence",schemaPath:"#/properties/sequence/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.status !== undefined){
let data1 = data.status;
const _errs4 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate124.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: schema52.properties.status.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.progress !== undefined){
let data2 = data.progress;
const _errs6 = errors;
if((!((typeof data2 == "number") && (isFinite(data2)))) && (data2 !== null)){
validate124.errors = [{instancePath:instancePath+"/progress",schemaPath:"#/properties/progress/type",keyword:"type",params:{type: schema52.properties.progress.type},message:"must be number,null"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate124.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate124.errors = vErrors;
return errors === 0;
}
validate124.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const HeartbeatAck = validate125;
const schema53 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/heartbeat_ack.schema.json","title":"HeartbeatAck","description":"Answer to a heartbeat.","type":"object","required":["sequence","received_at"],"properties":{"sequence":{"type":"integer","minimum":0},"received_at":{"type":"string"}},"additionalProperties":false};

function validate125(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/heartbeat_ack.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate125.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.sequence === undefined) && (missing0 = "sequence")) || ((data.received_at === undefined) && (missing0 = "received_at"))){
validate125.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "sequence") || (key0 === "received_at"))){
validate125.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.sequence !== undefined){
let data0 = data.sequence;
const _errs2 = errors;
if(!(((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0))) && (isFinite(data0)))){
validate125.errors = [{instancePath:instancePath+"/sequence",schemaPath:"#/properties/sequence/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs2){
if((typeof data0 == "number") && (isFinite(data0))){
if(data0 < 0 || isNaN(data0)){
validate125.errors = [{instancePath:instancePath+"/sequence",schemaPath:"#/properties/sequence/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.received_at !== undefined){
const _errs4 = errors;
if(typeof data.received_at !== "string"){
validate125.errors = [{instancePath:instancePath+"/received_at",schemaPath:"#/properties/received_at/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate125.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate125.errors = vErrors;
return errors === 0;
}
validate125.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const IdentityContext = validate76;

export const MessagePart = validate101;

export const OAuthCredentialState = validate88;

export const ObservabilityContext = validate72;

export const Principal = validate57;

export const ProtocolError = validate107;

export const ReceiptRef = validate105;

export const StreamChunk = validate126;
const schema54 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/stream_chunk.schema.json","title":"StreamChunk","description":"A piece of a streaming action’s output.","type":"object","required":["action_id","sequence","kind"],"properties":{"action_id":{"type":"string"},"sequence":{"type":"integer","minimum":0},"kind":{"enum":["data","progress","tool","thought","preview","pending_approval","error","done"]},"data":{},"part":{"anyOf":[{"$ref":"message_part.schema.json"},{"type":"null"}]}},"additionalProperties":false};

function validate126(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/stream_chunk.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate126.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.action_id === undefined) && (missing0 = "action_id")) || ((data.sequence === undefined) && (missing0 = "sequence"))) || ((data.kind === undefined) && (missing0 = "kind"))){
validate126.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((key0 === "action_id") || (key0 === "sequence")) || (key0 === "kind")) || (key0 === "data")) || (key0 === "part"))){
validate126.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.action_id !== undefined){
const _errs2 = errors;
if(typeof data.action_id !== "string"){
validate126.errors = [{instancePath:instancePath+"/action_id",schemaPath:"#/properties/action_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.sequence !== undefined){
let data1 = data.sequence;
const _errs4 = errors;
if(!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))){
validate126.errors = [{instancePath:instancePath+"/sequence",schemaPath:"#/properties/sequence/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs4){
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 < 0 || isNaN(data1)){
validate126.errors = [{instancePath:instancePath+"/sequence",schemaPath:"#/properties/sequence/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.kind !== undefined){
let data2 = data.kind;
const _errs6 = errors;
if(!((((((((data2 === "data") || (data2 === "progress")) || (data2 === "tool")) || (data2 === "thought")) || (data2 === "preview")) || (data2 === "pending_approval")) || (data2 === "error")) || (data2 === "done"))){
validate126.errors = [{instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/enum",keyword:"enum",params:{allowedValues: schema54.properties.kind.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.part !== undefined){
let data3 = data.part;
const _errs7 = errors;
const _errs8 = errors;
let valid1 = false;
const _errs9 = errors;
if(!(validate101(data3, {instancePath:instancePath+"/part",parentData:data,parentDataProperty:"part",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate101.errors : vErrors.concat(validate101.errors);
errors = vErrors.length;
}
var _valid0 = _errs9 === errors;
valid1 = valid1 || _valid0;
const _errs10 = errors;
if(data3 !== null){
const err0 = {instancePath:instancePath+"/part",schemaPath:"#/properties/part/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs10 === errors;
valid1 = valid1 || _valid0;
if(!valid1){
const err1 = {instancePath:instancePath+"/part",schemaPath:"#/properties/part/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate126.errors = vErrors;
return false;
}
else {
errors = _errs8;
if(vErrors !== null){
if(_errs8){
vErrors.length = _errs8;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate126.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate126.errors = vErrors;
return errors === 0;
}
validate126.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const TenantRef = validate77;

export const Usage = validate103;

export const ActionEvents = validate128;
const schema55 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/action_events.schema.json","title":"ActionEvents","description":"A page of an action’s events; terminal when no more will come.","type":"object","required":["action_id","events","terminal"],"properties":{"action_id":{"type":"string"},"events":{"type":"array","items":{"$ref":"event.schema.json"}},"chunks":{"type":"array","items":{"$ref":"stream_chunk.schema.json"}},"cursor":{"type":["string","null"]},"terminal":{"type":"boolean"}},"additionalProperties":false};
const schema56 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/event.schema.json","title":"Event","description":"Something that happened.","type":"object","required":["id","kind","occurred_at"],"properties":{"id":{"type":"string"},"kind":{"type":"string"},"occurred_at":{"type":"string"},"session_id":{"type":["string","null"]},"action_id":{"type":["string","null"]},"correlation_id":{"type":["string","null"]},"actor":{"anyOf":[{"$ref":"principal.schema.json"},{"type":"null"}]},"data":{}},"additionalProperties":false};

function validate129(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/event.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate129.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.id === undefined) && (missing0 = "id")) || ((data.kind === undefined) && (missing0 = "kind"))) || ((data.occurred_at === undefined) && (missing0 = "occurred_at"))){
validate129.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((((((key0 === "id") || (key0 === "kind")) || (key0 === "occurred_at")) || (key0 === "session_id")) || (key0 === "action_id")) || (key0 === "correlation_id")) || (key0 === "actor")) || (key0 === "data"))){
validate129.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate129.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.kind !== undefined){
const _errs4 = errors;
if(typeof data.kind !== "string"){
validate129.errors = [{instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.occurred_at !== undefined){
const _errs6 = errors;
if(typeof data.occurred_at !== "string"){
validate129.errors = [{instancePath:instancePath+"/occurred_at",schemaPath:"#/properties/occurred_at/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.session_id !== undefined){
let data3 = data.session_id;
const _errs8 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate129.errors = [{instancePath:instancePath+"/session_id",schemaPath:"#/properties/session_id/type",keyword:"type",params:{type: schema56.properties.session_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.action_id !== undefined){
let data4 = data.action_id;
const _errs10 = errors;
if((typeof data4 !== "string") && (data4 !== null)){
validate129.errors = [{instancePath:instancePath+"/action_id",schemaPath:"#/properties/action_id/type",keyword:"type",params:{type: schema56.properties.action_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.correlation_id !== undefined){
let data5 = data.correlation_id;
const _errs12 = errors;
if((typeof data5 !== "string") && (data5 !== null)){
validate129.errors = [{instancePath:instancePath+"/correlation_id",schemaPath:"#/properties/correlation_id/type",keyword:"type",params:{type: schema56.properties.correlation_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.actor !== undefined){
let data6 = data.actor;
const _errs14 = errors;
const _errs15 = errors;
let valid1 = false;
const _errs16 = errors;
if(!(validate57(data6, {instancePath:instancePath+"/actor",parentData:data,parentDataProperty:"actor",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var _valid0 = _errs16 === errors;
valid1 = valid1 || _valid0;
const _errs17 = errors;
if(data6 !== null){
const err0 = {instancePath:instancePath+"/actor",schemaPath:"#/properties/actor/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs17 === errors;
valid1 = valid1 || _valid0;
if(!valid1){
const err1 = {instancePath:instancePath+"/actor",schemaPath:"#/properties/actor/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate129.errors = vErrors;
return false;
}
else {
errors = _errs15;
if(vErrors !== null){
if(_errs15){
vErrors.length = _errs15;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate129.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate129.errors = vErrors;
return errors === 0;
}
validate129.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate128(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/action_events.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate128.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.action_id === undefined) && (missing0 = "action_id")) || ((data.events === undefined) && (missing0 = "events"))) || ((data.terminal === undefined) && (missing0 = "terminal"))){
validate128.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((key0 === "action_id") || (key0 === "events")) || (key0 === "chunks")) || (key0 === "cursor")) || (key0 === "terminal"))){
validate128.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.action_id !== undefined){
const _errs2 = errors;
if(typeof data.action_id !== "string"){
validate128.errors = [{instancePath:instancePath+"/action_id",schemaPath:"#/properties/action_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.events !== undefined){
let data1 = data.events;
const _errs4 = errors;
if(errors === _errs4){
if(Array.isArray(data1)){
var valid1 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
const _errs6 = errors;
if(!(validate129(data1[i0], {instancePath:instancePath+"/events/" + i0,parentData:data1,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate129.errors : vErrors.concat(validate129.errors);
errors = vErrors.length;
}
var valid1 = _errs6 === errors;
if(!valid1){
break;
}
}
}
else {
validate128.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.chunks !== undefined){
let data3 = data.chunks;
const _errs7 = errors;
if(errors === _errs7){
if(Array.isArray(data3)){
var valid2 = true;
const len1 = data3.length;
for(let i1=0; i1<len1; i1++){
const _errs9 = errors;
if(!(validate126(data3[i1], {instancePath:instancePath+"/chunks/" + i1,parentData:data3,parentDataProperty:i1,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate126.errors : vErrors.concat(validate126.errors);
errors = vErrors.length;
}
var valid2 = _errs9 === errors;
if(!valid2){
break;
}
}
}
else {
validate128.errors = [{instancePath:instancePath+"/chunks",schemaPath:"#/properties/chunks/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.cursor !== undefined){
let data5 = data.cursor;
const _errs10 = errors;
if((typeof data5 !== "string") && (data5 !== null)){
validate128.errors = [{instancePath:instancePath+"/cursor",schemaPath:"#/properties/cursor/type",keyword:"type",params:{type: schema55.properties.cursor.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.terminal !== undefined){
const _errs12 = errors;
if(typeof data.terminal !== "boolean"){
validate128.errors = [{instancePath:instancePath+"/terminal",schemaPath:"#/properties/terminal/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
else {
validate128.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate128.errors = vErrors;
return errors === 0;
}
validate128.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ActionEventsRequest = validate133;
const schema57 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/action_events_request.schema.json","title":"ActionEventsRequest","description":"Asks for the events of an action.","type":"object","required":["action_id"],"properties":{"action_id":{"type":"string"},"tenant_id":{"type":["string","null"]},"cursor":{"type":["string","null"]},"limit":{"type":["integer","null"],"minimum":0},"kinds":{"type":"array","items":{"type":"string"}},"include_chunks":{"type":"boolean","default":false},"follow":{"type":"boolean","default":false}},"additionalProperties":false};

function validate133(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/action_events_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate133.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.action_id === undefined) && (missing0 = "action_id")){
validate133.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((((key0 === "action_id") || (key0 === "tenant_id")) || (key0 === "cursor")) || (key0 === "limit")) || (key0 === "kinds")) || (key0 === "include_chunks")) || (key0 === "follow"))){
validate133.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.action_id !== undefined){
const _errs2 = errors;
if(typeof data.action_id !== "string"){
validate133.errors = [{instancePath:instancePath+"/action_id",schemaPath:"#/properties/action_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tenant_id !== undefined){
let data1 = data.tenant_id;
const _errs4 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate133.errors = [{instancePath:instancePath+"/tenant_id",schemaPath:"#/properties/tenant_id/type",keyword:"type",params:{type: schema57.properties.tenant_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.cursor !== undefined){
let data2 = data.cursor;
const _errs6 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate133.errors = [{instancePath:instancePath+"/cursor",schemaPath:"#/properties/cursor/type",keyword:"type",params:{type: schema57.properties.cursor.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.limit !== undefined){
let data3 = data.limit;
const _errs8 = errors;
if((!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))) && (data3 !== null)){
validate133.errors = [{instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/type",keyword:"type",params:{type: schema57.properties.limit.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs8){
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 < 0 || isNaN(data3)){
validate133.errors = [{instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.kinds !== undefined){
let data4 = data.kinds;
const _errs10 = errors;
if(errors === _errs10){
if(Array.isArray(data4)){
var valid1 = true;
const len0 = data4.length;
for(let i0=0; i0<len0; i0++){
const _errs12 = errors;
if(typeof data4[i0] !== "string"){
validate133.errors = [{instancePath:instancePath+"/kinds/" + i0,schemaPath:"#/properties/kinds/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs12 === errors;
if(!valid1){
break;
}
}
}
else {
validate133.errors = [{instancePath:instancePath+"/kinds",schemaPath:"#/properties/kinds/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include_chunks !== undefined){
const _errs14 = errors;
if(typeof data.include_chunks !== "boolean"){
validate133.errors = [{instancePath:instancePath+"/include_chunks",schemaPath:"#/properties/include_chunks/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.follow !== undefined){
const _errs16 = errors;
if(typeof data.follow !== "boolean"){
validate133.errors = [{instancePath:instancePath+"/follow",schemaPath:"#/properties/follow/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs16 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate133.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate133.errors = vErrors;
return errors === 0;
}
validate133.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ActionList = validate134;
const schema58 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/action_list.schema.json","title":"ActionList","description":"A page of actions; total_size counts before paging.","type":"object","required":["actions","total_size"],"properties":{"actions":{"type":"array","items":{"$ref":"action_status.schema.json"}},"total_size":{"type":"integer","minimum":0},"cursor":{"type":["string","null"]}},"additionalProperties":false};
const schema59 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/action_status.schema.json","title":"ActionStatus","description":"The view of an action.","type":"object","required":["action_id","state","updated_at"],"properties":{"action_id":{"type":"string"},"capability_id":{"type":["string","null"]},"session_id":{"type":["string","null"]},"correlation_id":{"type":["string","null"]},"state":{"enum":["unknown","accepted","queued","running","streaming","pending_approval","cancelling","cancelled","completed","failed","expired","dead_lettered"]},"queued_state":{"type":["string","null"]},"result_status":{"enum":["completed","failed","cancelled","pending_approval","requires_human",null]},"approval_id":{"type":["string","null"]},"transaction_id":{"type":["string","null"]},"delegation_id":{"type":["string","null"]},"started_at":{"type":["string","null"]},"updated_at":{"type":"string"},"completed_at":{"type":["string","null"]},"retry":{},"lease":{},"result":{"anyOf":[{"$ref":"action_result.schema.json"},{"type":"null"}]},"receipt_chain":{"anyOf":[{"$ref":"receipt_chain.schema.json"},{"type":"null"}]},"chunks":{"type":"array","items":{"$ref":"stream_chunk.schema.json"}},"links":{"type":"object","additionalProperties":{"type":"string"}}},"additionalProperties":false};
const schema60 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/receipt_chain.schema.json","title":"ReceiptChain","description":"Receipts in order, bound by their hashes.","type":"object","required":["chain_id","receipts"],"properties":{"chain_id":{"type":"string"},"receipts":{"type":"array","items":{"$ref":"receipt.schema.json"}},"root_hash":{"type":["string","null"]}},"additionalProperties":false};
const schema61 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/receipt.schema.json","title":"Receipt","description":"One link of a hash chain.","type":"object","required":["id","receipt_type","actor","occurred_at"],"properties":{"id":{"type":"string"},"receipt_type":{"enum":["request_received","action_accepted","policy_decision","approval_requested","approval_granted","approval_denied","approval_expired","approval_revoked","tool_executed","delegation_made","human_approved","result_returned","settlement_recorded","transaction_planned","transaction_commit_started","transaction_committed","transaction_compensated","transaction_dry_run_completed","transaction_rollback_unsupported","transaction_failed","callback_delivery_attempted","callback_delivered","callback_delivery_failed"]},"actor":{"$ref":"principal.schema.json"},"occurred_at":{"type":"string"},"correlation_id":{"type":["string","null"]},"data":{},"previous_hash":{"type":["string","null"]},"hash":{"type":["string","null"]}},"additionalProperties":false};

function validate138(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/receipt.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate138.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((data.id === undefined) && (missing0 = "id")) || ((data.receipt_type === undefined) && (missing0 = "receipt_type"))) || ((data.actor === undefined) && (missing0 = "actor"))) || ((data.occurred_at === undefined) && (missing0 = "occurred_at"))){
validate138.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((((((key0 === "id") || (key0 === "receipt_type")) || (key0 === "actor")) || (key0 === "occurred_at")) || (key0 === "correlation_id")) || (key0 === "data")) || (key0 === "previous_hash")) || (key0 === "hash"))){
validate138.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate138.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.receipt_type !== undefined){
let data1 = data.receipt_type;
const _errs4 = errors;
if(!(((((((((((((((((((((((data1 === "request_received") || (data1 === "action_accepted")) || (data1 === "policy_decision")) || (data1 === "approval_requested")) || (data1 === "approval_granted")) || (data1 === "approval_denied")) || (data1 === "approval_expired")) || (data1 === "approval_revoked")) || (data1 === "tool_executed")) || (data1 === "delegation_made")) || (data1 === "human_approved")) || (data1 === "result_returned")) || (data1 === "settlement_recorded")) || (data1 === "transaction_planned")) || (data1 === "transaction_commit_started")) || (data1 === "transaction_committed")) || (data1 === "transaction_compensated")) || (data1 === "transaction_dry_run_completed")) || (data1 === "transaction_rollback_unsupported")) || (data1 === "transaction_failed")) || (data1 === "callback_delivery_attempted")) || (data1 === "callback_delivered")) || (data1 === "callback_delivery_failed"))){
validate138.errors = [{instancePath:instancePath+"/receipt_type",schemaPath:"#/properties/receipt_type/enum",keyword:"enum",params:{allowedValues: schema61.properties.receipt_type.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.actor !== undefined){
const _errs5 = errors;
if(!(validate57(data.actor, {instancePath:instancePath+"/actor",parentData:data,parentDataProperty:"actor",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.occurred_at !== undefined){
const _errs6 = errors;
if(typeof data.occurred_at !== "string"){
validate138.errors = [{instancePath:instancePath+"/occurred_at",schemaPath:"#/properties/occurred_at/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.correlation_id !== undefined){
let data4 = data.correlation_id;
const _errs8 = errors;
if((typeof data4 !== "string") && (data4 !== null)){
validate138.errors = [{instancePath:instancePath+"/correlation_id",schemaPath:"#/properties/correlation_id/type",keyword:"type",params:{type: schema61.properties.correlation_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.previous_hash !== undefined){
let data5 = data.previous_hash;
const _errs10 = errors;
if((typeof data5 !== "string") && (data5 !== null)){
validate138.errors = [{instancePath:instancePath+"/previous_hash",schemaPath:"#/properties/previous_hash/type",keyword:"type",params:{type: schema61.properties.previous_hash.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.hash !== undefined){
let data6 = data.hash;
const _errs12 = errors;
if((typeof data6 !== "string") && (data6 !== null)){
validate138.errors = [{instancePath:instancePath+"/hash",schemaPath:"#/properties/hash/type",keyword:"type",params:{type: schema61.properties.hash.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate138.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate138.errors = vErrors;
return errors === 0;
}
validate138.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate137(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/receipt_chain.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate137.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.chain_id === undefined) && (missing0 = "chain_id")) || ((data.receipts === undefined) && (missing0 = "receipts"))){
validate137.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "chain_id") || (key0 === "receipts")) || (key0 === "root_hash"))){
validate137.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.chain_id !== undefined){
const _errs2 = errors;
if(typeof data.chain_id !== "string"){
validate137.errors = [{instancePath:instancePath+"/chain_id",schemaPath:"#/properties/chain_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.receipts !== undefined){
let data1 = data.receipts;
const _errs4 = errors;
if(errors === _errs4){
if(Array.isArray(data1)){
var valid1 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
const _errs6 = errors;
if(!(validate138(data1[i0], {instancePath:instancePath+"/receipts/" + i0,parentData:data1,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate138.errors : vErrors.concat(validate138.errors);
errors = vErrors.length;
}
var valid1 = _errs6 === errors;
if(!valid1){
break;
}
}
}
else {
validate137.errors = [{instancePath:instancePath+"/receipts",schemaPath:"#/properties/receipts/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.root_hash !== undefined){
let data3 = data.root_hash;
const _errs7 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate137.errors = [{instancePath:instancePath+"/root_hash",schemaPath:"#/properties/root_hash/type",keyword:"type",params:{type: schema60.properties.root_hash.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate137.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate137.errors = vErrors;
return errors === 0;
}
validate137.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate135(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/action_status.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate135.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.action_id === undefined) && (missing0 = "action_id")) || ((data.state === undefined) && (missing0 = "state"))) || ((data.updated_at === undefined) && (missing0 = "updated_at"))){
validate135.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema59.properties, key0))){
validate135.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.action_id !== undefined){
const _errs2 = errors;
if(typeof data.action_id !== "string"){
validate135.errors = [{instancePath:instancePath+"/action_id",schemaPath:"#/properties/action_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.capability_id !== undefined){
let data1 = data.capability_id;
const _errs4 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate135.errors = [{instancePath:instancePath+"/capability_id",schemaPath:"#/properties/capability_id/type",keyword:"type",params:{type: schema59.properties.capability_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.session_id !== undefined){
let data2 = data.session_id;
const _errs6 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate135.errors = [{instancePath:instancePath+"/session_id",schemaPath:"#/properties/session_id/type",keyword:"type",params:{type: schema59.properties.session_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.correlation_id !== undefined){
let data3 = data.correlation_id;
const _errs8 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate135.errors = [{instancePath:instancePath+"/correlation_id",schemaPath:"#/properties/correlation_id/type",keyword:"type",params:{type: schema59.properties.correlation_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.state !== undefined){
let data4 = data.state;
const _errs10 = errors;
if(!((((((((((((data4 === "unknown") || (data4 === "accepted")) || (data4 === "queued")) || (data4 === "running")) || (data4 === "streaming")) || (data4 === "pending_approval")) || (data4 === "cancelling")) || (data4 === "cancelled")) || (data4 === "completed")) || (data4 === "failed")) || (data4 === "expired")) || (data4 === "dead_lettered"))){
validate135.errors = [{instancePath:instancePath+"/state",schemaPath:"#/properties/state/enum",keyword:"enum",params:{allowedValues: schema59.properties.state.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.queued_state !== undefined){
let data5 = data.queued_state;
const _errs11 = errors;
if((typeof data5 !== "string") && (data5 !== null)){
validate135.errors = [{instancePath:instancePath+"/queued_state",schemaPath:"#/properties/queued_state/type",keyword:"type",params:{type: schema59.properties.queued_state.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.result_status !== undefined){
let data6 = data.result_status;
const _errs13 = errors;
if(!((((((data6 === "completed") || (data6 === "failed")) || (data6 === "cancelled")) || (data6 === "pending_approval")) || (data6 === "requires_human")) || (data6 === null))){
validate135.errors = [{instancePath:instancePath+"/result_status",schemaPath:"#/properties/result_status/enum",keyword:"enum",params:{allowedValues: schema59.properties.result_status.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.approval_id !== undefined){
let data7 = data.approval_id;
const _errs14 = errors;
if((typeof data7 !== "string") && (data7 !== null)){
validate135.errors = [{instancePath:instancePath+"/approval_id",schemaPath:"#/properties/approval_id/type",keyword:"type",params:{type: schema59.properties.approval_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.transaction_id !== undefined){
let data8 = data.transaction_id;
const _errs16 = errors;
if((typeof data8 !== "string") && (data8 !== null)){
validate135.errors = [{instancePath:instancePath+"/transaction_id",schemaPath:"#/properties/transaction_id/type",keyword:"type",params:{type: schema59.properties.transaction_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs16 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.delegation_id !== undefined){
let data9 = data.delegation_id;
const _errs18 = errors;
if((typeof data9 !== "string") && (data9 !== null)){
validate135.errors = [{instancePath:instancePath+"/delegation_id",schemaPath:"#/properties/delegation_id/type",keyword:"type",params:{type: schema59.properties.delegation_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs18 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.started_at !== undefined){
let data10 = data.started_at;
const _errs20 = errors;
if((typeof data10 !== "string") && (data10 !== null)){
validate135.errors = [{instancePath:instancePath+"/started_at",schemaPath:"#/properties/started_at/type",keyword:"type",params:{type: schema59.properties.started_at.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs20 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.updated_at !== undefined){
const _errs22 = errors;
if(typeof data.updated_at !== "string"){
validate135.errors = [{instancePath:instancePath+"/updated_at",schemaPath:"#/properties/updated_at/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs22 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.completed_at !== undefined){
let data12 = data.completed_at;
const _errs24 = errors;
if((typeof data12 !== "string") && (data12 !== null)){
validate135.errors = [{instancePath:instancePath+"/completed_at",schemaPath:"#/properties/completed_at/type",keyword:"type",params:{type: schema59.properties.completed_at.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs24 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.result !== undefined){
let data13 = data.result;
const _errs26 = errors;
const _errs27 = errors;
let valid1 = false;
const _errs28 = errors;
if(!(validate100(data13, {instancePath:instancePath+"/result",parentData:data,parentDataProperty:"result",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate100.errors : vErrors.concat(validate100.errors);
errors = vErrors.length;
}
var _valid0 = _errs28 === errors;
valid1 = valid1 || _valid0;
const _errs29 = errors;
if(data13 !== null){
const err0 = {instancePath:instancePath+"/result",schemaPath:"#/properties/result/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs29 === errors;
valid1 = valid1 || _valid0;
if(!valid1){
const err1 = {instancePath:instancePath+"/result",schemaPath:"#/properties/result/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate135.errors = vErrors;
return false;
}
else {
errors = _errs27;
if(vErrors !== null){
if(_errs27){
vErrors.length = _errs27;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs26 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.receipt_chain !== undefined){
let data14 = data.receipt_chain;
const _errs31 = errors;
const _errs32 = errors;
let valid2 = false;
const _errs33 = errors;
if(!(validate137(data14, {instancePath:instancePath+"/receipt_chain",parentData:data,parentDataProperty:"receipt_chain",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate137.errors : vErrors.concat(validate137.errors);
errors = vErrors.length;
}
var _valid1 = _errs33 === errors;
valid2 = valid2 || _valid1;
const _errs34 = errors;
if(data14 !== null){
const err2 = {instancePath:instancePath+"/receipt_chain",schemaPath:"#/properties/receipt_chain/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
var _valid1 = _errs34 === errors;
valid2 = valid2 || _valid1;
if(!valid2){
const err3 = {instancePath:instancePath+"/receipt_chain",schemaPath:"#/properties/receipt_chain/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
validate135.errors = vErrors;
return false;
}
else {
errors = _errs32;
if(vErrors !== null){
if(_errs32){
vErrors.length = _errs32;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs31 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.chunks !== undefined){
let data15 = data.chunks;
const _errs36 = errors;
if(errors === _errs36){
if(Array.isArray(data15)){
var valid3 = true;
const len0 = data15.length;
for(let i0=0; i0<len0; i0++){
const _errs38 = errors;
if(!(validate126(data15[i0], {instancePath:instancePath+"/chunks/" + i0,parentData:data15,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate126.errors : vErrors.concat(validate126.errors);
errors = vErrors.length;
}
var valid3 = _errs38 === errors;
if(!valid3){
break;
}
}
}
else {
validate135.errors = [{instancePath:instancePath+"/chunks",schemaPath:"#/properties/chunks/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs36 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.links !== undefined){
let data17 = data.links;
const _errs39 = errors;
if(errors === _errs39){
if(data17 && typeof data17 == "object" && !Array.isArray(data17)){
for(const key1 in data17){
const _errs42 = errors;
if(typeof data17[key1] !== "string"){
validate135.errors = [{instancePath:instancePath+"/links/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/links/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid4 = _errs42 === errors;
if(!valid4){
break;
}
}
}
else {
validate135.errors = [{instancePath:instancePath+"/links",schemaPath:"#/properties/links/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs39 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate135.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate135.errors = vErrors;
return errors === 0;
}
validate135.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate134(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/action_list.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate134.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.actions === undefined) && (missing0 = "actions")) || ((data.total_size === undefined) && (missing0 = "total_size"))){
validate134.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "actions") || (key0 === "total_size")) || (key0 === "cursor"))){
validate134.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.actions !== undefined){
let data0 = data.actions;
const _errs2 = errors;
if(errors === _errs2){
if(Array.isArray(data0)){
var valid1 = true;
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
const _errs4 = errors;
if(!(validate135(data0[i0], {instancePath:instancePath+"/actions/" + i0,parentData:data0,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate135.errors : vErrors.concat(validate135.errors);
errors = vErrors.length;
}
var valid1 = _errs4 === errors;
if(!valid1){
break;
}
}
}
else {
validate134.errors = [{instancePath:instancePath+"/actions",schemaPath:"#/properties/actions/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.total_size !== undefined){
let data2 = data.total_size;
const _errs5 = errors;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
validate134.errors = [{instancePath:instancePath+"/total_size",schemaPath:"#/properties/total_size/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs5){
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 < 0 || isNaN(data2)){
validate134.errors = [{instancePath:instancePath+"/total_size",schemaPath:"#/properties/total_size/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.cursor !== undefined){
let data3 = data.cursor;
const _errs7 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate134.errors = [{instancePath:instancePath+"/cursor",schemaPath:"#/properties/cursor/type",keyword:"type",params:{type: schema58.properties.cursor.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate134.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate134.errors = vErrors;
return errors === 0;
}
validate134.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ActionListRequest = validate144;
const schema62 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/action_list_request.schema.json","title":"ActionListRequest","description":"Asks for a page of actions.","type":"object","required":[],"properties":{"state":{"enum":["unknown","accepted","queued","running","streaming","pending_approval","cancelling","cancelled","completed","failed","expired","dead_lettered",null]},"capability_id":{"type":["string","null"]},"session_id":{"type":["string","null"]},"principal_id":{"type":["string","null"]},"approval_id":{"type":["string","null"]},"transaction_id":{"type":["string","null"]},"tenant_id":{"type":["string","null"]},"cursor":{"type":["string","null"]},"limit":{"type":["integer","null"],"minimum":0},"include_results":{"type":"boolean","default":false},"include_receipts":{"type":"boolean","default":false}},"additionalProperties":false};

function validate144(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/action_list_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate144.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema62.properties, key0))){
validate144.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.state !== undefined){
let data0 = data.state;
const _errs2 = errors;
if(!(((((((((((((data0 === "unknown") || (data0 === "accepted")) || (data0 === "queued")) || (data0 === "running")) || (data0 === "streaming")) || (data0 === "pending_approval")) || (data0 === "cancelling")) || (data0 === "cancelled")) || (data0 === "completed")) || (data0 === "failed")) || (data0 === "expired")) || (data0 === "dead_lettered")) || (data0 === null))){
validate144.errors = [{instancePath:instancePath+"/state",schemaPath:"#/properties/state/enum",keyword:"enum",params:{allowedValues: schema62.properties.state.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.capability_id !== undefined){
let data1 = data.capability_id;
const _errs3 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate144.errors = [{instancePath:instancePath+"/capability_id",schemaPath:"#/properties/capability_id/type",keyword:"type",params:{type: schema62.properties.capability_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.session_id !== undefined){
let data2 = data.session_id;
const _errs5 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate144.errors = [{instancePath:instancePath+"/session_id",schemaPath:"#/properties/session_id/type",keyword:"type",params:{type: schema62.properties.session_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.principal_id !== undefined){
let data3 = data.principal_id;
const _errs7 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate144.errors = [{instancePath:instancePath+"/principal_id",schemaPath:"#/properties/principal_id/type",keyword:"type",params:{type: schema62.properties.principal_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.approval_id !== undefined){
let data4 = data.approval_id;
const _errs9 = errors;
if((typeof data4 !== "string") && (data4 !== null)){
validate144.errors = [{instancePath:instancePath+"/approval_id",schemaPath:"#/properties/approval_id/type",keyword:"type",params:{type: schema62.properties.approval_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.transaction_id !== undefined){
let data5 = data.transaction_id;
const _errs11 = errors;
if((typeof data5 !== "string") && (data5 !== null)){
validate144.errors = [{instancePath:instancePath+"/transaction_id",schemaPath:"#/properties/transaction_id/type",keyword:"type",params:{type: schema62.properties.transaction_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tenant_id !== undefined){
let data6 = data.tenant_id;
const _errs13 = errors;
if((typeof data6 !== "string") && (data6 !== null)){
validate144.errors = [{instancePath:instancePath+"/tenant_id",schemaPath:"#/properties/tenant_id/type",keyword:"type",params:{type: schema62.properties.tenant_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.cursor !== undefined){
let data7 = data.cursor;
const _errs15 = errors;
if((typeof data7 !== "string") && (data7 !== null)){
validate144.errors = [{instancePath:instancePath+"/cursor",schemaPath:"#/properties/cursor/type",keyword:"type",params:{type: schema62.properties.cursor.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.limit !== undefined){
let data8 = data.limit;
const _errs17 = errors;
if((!(((typeof data8 == "number") && (!(data8 % 1) && !isNaN(data8))) && (isFinite(data8)))) && (data8 !== null)){
validate144.errors = [{instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/type",keyword:"type",params:{type: schema62.properties.limit.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs17){
if((typeof data8 == "number") && (isFinite(data8))){
if(data8 < 0 || isNaN(data8)){
validate144.errors = [{instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include_results !== undefined){
const _errs19 = errors;
if(typeof data.include_results !== "boolean"){
validate144.errors = [{instancePath:instancePath+"/include_results",schemaPath:"#/properties/include_results/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs19 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include_receipts !== undefined){
const _errs21 = errors;
if(typeof data.include_receipts !== "boolean"){
validate144.errors = [{instancePath:instancePath+"/include_receipts",schemaPath:"#/properties/include_receipts/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs21 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate144.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate144.errors = vErrors;
return errors === 0;
}
validate144.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ActionResultRequest = validate145;
const schema63 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/action_result_request.schema.json","title":"ActionResultRequest","description":"Asks for the terminal result of an action.","type":"object","required":["action_id"],"properties":{"action_id":{"type":"string"},"tenant_id":{"type":["string","null"]},"wait_ms":{"type":["integer","null"],"minimum":0},"include_receipt":{"type":"boolean","default":false},"include_terminal_events":{"type":"boolean","default":false}},"additionalProperties":false};

function validate145(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/action_result_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate145.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.action_id === undefined) && (missing0 = "action_id")){
validate145.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((key0 === "action_id") || (key0 === "tenant_id")) || (key0 === "wait_ms")) || (key0 === "include_receipt")) || (key0 === "include_terminal_events"))){
validate145.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.action_id !== undefined){
const _errs2 = errors;
if(typeof data.action_id !== "string"){
validate145.errors = [{instancePath:instancePath+"/action_id",schemaPath:"#/properties/action_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tenant_id !== undefined){
let data1 = data.tenant_id;
const _errs4 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate145.errors = [{instancePath:instancePath+"/tenant_id",schemaPath:"#/properties/tenant_id/type",keyword:"type",params:{type: schema63.properties.tenant_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.wait_ms !== undefined){
let data2 = data.wait_ms;
const _errs6 = errors;
if((!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))) && (data2 !== null)){
validate145.errors = [{instancePath:instancePath+"/wait_ms",schemaPath:"#/properties/wait_ms/type",keyword:"type",params:{type: schema63.properties.wait_ms.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs6){
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 < 0 || isNaN(data2)){
validate145.errors = [{instancePath:instancePath+"/wait_ms",schemaPath:"#/properties/wait_ms/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include_receipt !== undefined){
const _errs8 = errors;
if(typeof data.include_receipt !== "boolean"){
validate145.errors = [{instancePath:instancePath+"/include_receipt",schemaPath:"#/properties/include_receipt/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include_terminal_events !== undefined){
const _errs10 = errors;
if(typeof data.include_terminal_events !== "boolean"){
validate145.errors = [{instancePath:instancePath+"/include_terminal_events",schemaPath:"#/properties/include_terminal_events/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
else {
validate145.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate145.errors = vErrors;
return errors === 0;
}
validate145.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ActionStatus = validate135;

export const ActionStatusRequest = validate146;
const schema64 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/action_status_request.schema.json","title":"ActionStatusRequest","description":"Asks for the view of an action.","type":"object","required":["action_id"],"properties":{"action_id":{"type":"string"},"tenant_id":{"type":["string","null"]},"include_result":{"type":"boolean","default":false},"include_receipts":{"type":"boolean","default":false},"include_chunks":{"type":"boolean","default":false},"wait_ms":{"type":["integer","null"],"minimum":0}},"additionalProperties":false};

function validate146(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/action_status_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate146.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.action_id === undefined) && (missing0 = "action_id")){
validate146.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((((key0 === "action_id") || (key0 === "tenant_id")) || (key0 === "include_result")) || (key0 === "include_receipts")) || (key0 === "include_chunks")) || (key0 === "wait_ms"))){
validate146.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.action_id !== undefined){
const _errs2 = errors;
if(typeof data.action_id !== "string"){
validate146.errors = [{instancePath:instancePath+"/action_id",schemaPath:"#/properties/action_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tenant_id !== undefined){
let data1 = data.tenant_id;
const _errs4 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate146.errors = [{instancePath:instancePath+"/tenant_id",schemaPath:"#/properties/tenant_id/type",keyword:"type",params:{type: schema64.properties.tenant_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include_result !== undefined){
const _errs6 = errors;
if(typeof data.include_result !== "boolean"){
validate146.errors = [{instancePath:instancePath+"/include_result",schemaPath:"#/properties/include_result/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include_receipts !== undefined){
const _errs8 = errors;
if(typeof data.include_receipts !== "boolean"){
validate146.errors = [{instancePath:instancePath+"/include_receipts",schemaPath:"#/properties/include_receipts/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include_chunks !== undefined){
const _errs10 = errors;
if(typeof data.include_chunks !== "boolean"){
validate146.errors = [{instancePath:instancePath+"/include_chunks",schemaPath:"#/properties/include_chunks/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.wait_ms !== undefined){
let data5 = data.wait_ms;
const _errs12 = errors;
if((!(((typeof data5 == "number") && (!(data5 % 1) && !isNaN(data5))) && (isFinite(data5)))) && (data5 !== null)){
validate146.errors = [{instancePath:instancePath+"/wait_ms",schemaPath:"#/properties/wait_ms/type",keyword:"type",params:{type: schema64.properties.wait_ms.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs12){
if((typeof data5 == "number") && (isFinite(data5))){
if(data5 < 0 || isNaN(data5)){
validate146.errors = [{instancePath:instancePath+"/wait_ms",schemaPath:"#/properties/wait_ms/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
else {
validate146.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate146.errors = vErrors;
return errors === 0;
}
validate146.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const Event = validate129;

export const ApprovalEvidencePayload = validate147;
const schema65 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/approval_evidence_payload.schema.json","title":"ApprovalEvidencePayload","description":"The exact work that an approval governs.","type":"object","required":["action_id","capability_id","input_hash","input"],"properties":{"action_id":{"type":"string"},"capability_id":{"type":"string"},"input_hash":{"type":"string"},"input":{},"transaction":{"anyOf":[{"$ref":"action_transaction.schema.json"},{"type":"null"}]},"identity":{"anyOf":[{"$ref":"identity_context.schema.json"},{"type":"null"}]}},"additionalProperties":false};

function validate147(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/approval_evidence_payload.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate147.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((data.action_id === undefined) && (missing0 = "action_id")) || ((data.capability_id === undefined) && (missing0 = "capability_id"))) || ((data.input_hash === undefined) && (missing0 = "input_hash"))) || ((data.input === undefined) && (missing0 = "input"))){
validate147.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((((key0 === "action_id") || (key0 === "capability_id")) || (key0 === "input_hash")) || (key0 === "input")) || (key0 === "transaction")) || (key0 === "identity"))){
validate147.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.action_id !== undefined){
const _errs2 = errors;
if(typeof data.action_id !== "string"){
validate147.errors = [{instancePath:instancePath+"/action_id",schemaPath:"#/properties/action_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.capability_id !== undefined){
const _errs4 = errors;
if(typeof data.capability_id !== "string"){
validate147.errors = [{instancePath:instancePath+"/capability_id",schemaPath:"#/properties/capability_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.input_hash !== undefined){
const _errs6 = errors;
if(typeof data.input_hash !== "string"){
validate147.errors = [{instancePath:instancePath+"/input_hash",schemaPath:"#/properties/input_hash/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.transaction !== undefined){
let data3 = data.transaction;
const _errs8 = errors;
const _errs9 = errors;
let valid1 = false;
const _errs10 = errors;
if(!(validate98(data3, {instancePath:instancePath+"/transaction",parentData:data,parentDataProperty:"transaction",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate98.errors : vErrors.concat(validate98.errors);
errors = vErrors.length;
}
var _valid0 = _errs10 === errors;
valid1 = valid1 || _valid0;
const _errs11 = errors;
if(data3 !== null){
const err0 = {instancePath:instancePath+"/transaction",schemaPath:"#/properties/transaction/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs11 === errors;
valid1 = valid1 || _valid0;
if(!valid1){
const err1 = {instancePath:instancePath+"/transaction",schemaPath:"#/properties/transaction/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate147.errors = vErrors;
return false;
}
else {
errors = _errs9;
if(vErrors !== null){
if(_errs9){
vErrors.length = _errs9;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.identity !== undefined){
let data4 = data.identity;
const _errs13 = errors;
const _errs14 = errors;
let valid2 = false;
const _errs15 = errors;
if(!(validate76(data4, {instancePath:instancePath+"/identity",parentData:data,parentDataProperty:"identity",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate76.errors : vErrors.concat(validate76.errors);
errors = vErrors.length;
}
var _valid1 = _errs15 === errors;
valid2 = valid2 || _valid1;
const _errs16 = errors;
if(data4 !== null){
const err2 = {instancePath:instancePath+"/identity",schemaPath:"#/properties/identity/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
var _valid1 = _errs16 === errors;
valid2 = valid2 || _valid1;
if(!valid2){
const err3 = {instancePath:instancePath+"/identity",schemaPath:"#/properties/identity/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
validate147.errors = vErrors;
return false;
}
else {
errors = _errs14;
if(vErrors !== null){
if(_errs14){
vErrors.length = _errs14;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
else {
validate147.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate147.errors = vErrors;
return errors === 0;
}
validate147.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ApprovalList = validate150;
const schema66 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/approval_list.schema.json","title":"ApprovalList","description":"A page of approvals.","type":"object","required":["approvals"],"properties":{"approvals":{"type":"array","items":{"$ref":"approval_record_view.schema.json"}},"cursor":{"type":["string","null"]}},"additionalProperties":false};
const schema67 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/approval_record_view.schema.json","title":"ApprovalRecordView","description":"The view of an approval.","type":"object","required":["request","status","created_at","updated_at"],"properties":{"request":{"$ref":"approval_request.schema.json"},"decision":{"anyOf":[{"$ref":"approval_decision.schema.json"},{"type":"null"}]},"status":{"type":"string"},"action_status":{"anyOf":[{"$ref":"action_status.schema.json"},{"type":"null"}]},"receipt_chain":{"anyOf":[{"$ref":"receipt_chain.schema.json"},{"type":"null"}]},"evidence_payload":{"anyOf":[{"$ref":"approval_evidence_payload.schema.json"},{"type":"null"}]},"created_at":{"type":"string"},"updated_at":{"type":"string"}},"additionalProperties":false};
const schema68 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/approval_request.schema.json","title":"ApprovalRequest","description":"Asks for a decision on an action.","type":"object","required":["id","action_id","capability_id","requester","subject","approver_selector","reason"],"properties":{"id":{"type":"string"},"action_id":{"type":"string"},"capability_id":{"type":"string"},"requester":{"$ref":"principal.schema.json"},"subject":{"$ref":"principal.schema.json"},"approver_selector":{"$ref":"approver_selector.schema.json"},"reason":{"type":"string"},"evidence":{"type":"array","items":{"$ref":"evidence_artifact.schema.json"}},"expires_at":{"type":["string","null"]},"policy_decision_id":{"type":["string","null"]},"identity":{"anyOf":[{"$ref":"identity_context.schema.json"},{"type":"null"}]},"policy_snapshot":{"anyOf":[{"$ref":"approval_policy.schema.json"},{"type":"null"}]},"policy_hash":{"type":["string","null"]},"operator":{"anyOf":[{"$ref":"principal.schema.json"},{"type":"null"}]},"risk":{"enum":["low","medium","high","critical",null]},"governed_value":{"type":["integer","null"],"minimum":0}},"additionalProperties":false};
const schema69 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/approver_selector.schema.json","title":"ApproverSelector","description":"Who may decide.","type":"object","required":["type"],"oneOf":[{"type":"object","required":["type","id"],"properties":{"type":{"const":"principal"},"id":{"type":"string"}},"additionalProperties":false},{"type":"object","required":["type","name"],"properties":{"type":{"const":"role"},"name":{"type":"string"}},"additionalProperties":false},{"type":"object","required":["type","name"],"properties":{"type":{"const":"group"},"name":{"type":"string"}},"additionalProperties":false},{"type":"object","required":["type"],"properties":{"type":{"const":"tenant_policy"}},"additionalProperties":false},{"type":"object","required":["type","system"],"properties":{"type":{"const":"external_system"},"system":{"type":"string"}},"additionalProperties":false}],"discriminator":{"propertyName":"type"}};

function validate155(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/approver_selector.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate155.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.type === undefined) && (missing0 = "type")){
validate155.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const tag0 = data.type;
if(typeof tag0 == "string"){
if(tag0 === "principal"){
const _errs2 = errors;
if(errors === _errs2){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing1;
if(((data.type === undefined) && (missing1 = "type")) || ((data.id === undefined) && (missing1 = "id"))){
validate155.errors = [{instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}
else {
const _errs4 = errors;
for(const key0 in data){
if(!((key0 === "type") || (key0 === "id"))){
validate155.errors = [{instancePath,schemaPath:"#/oneOf/0/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs4 === errors){
if(data.type !== undefined){
const _errs5 = errors;
if("principal" !== data.type){
validate155.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/0/properties/type/const",keyword:"const",params:{allowedValue: "principal"},message:"must be equal to constant"}];
return false;
}
var valid2 = _errs5 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data.id !== undefined){
const _errs6 = errors;
if(typeof data.id !== "string"){
validate155.errors = [{instancePath:instancePath+"/id",schemaPath:"#/oneOf/0/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs6 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
else {
validate155.errors = [{instancePath,schemaPath:"#/oneOf/0/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var props0 = true;
}
else if(tag0 === "role"){
const _errs8 = errors;
if(errors === _errs8){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing2;
if(((data.type === undefined) && (missing2 = "type")) || ((data.name === undefined) && (missing2 = "name"))){
validate155.errors = [{instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing2},message:"must have required property '"+missing2+"'"}];
return false;
}
else {
const _errs10 = errors;
for(const key1 in data){
if(!((key1 === "type") || (key1 === "name"))){
validate155.errors = [{instancePath,schemaPath:"#/oneOf/1/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs10 === errors){
if(data.type !== undefined){
const _errs11 = errors;
if("role" !== data.type){
validate155.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/1/properties/type/const",keyword:"const",params:{allowedValue: "role"},message:"must be equal to constant"}];
return false;
}
var valid4 = _errs11 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data.name !== undefined){
const _errs12 = errors;
if(typeof data.name !== "string"){
validate155.errors = [{instancePath:instancePath+"/name",schemaPath:"#/oneOf/1/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid4 = _errs12 === errors;
}
else {
var valid4 = true;
}
}
}
}
}
else {
validate155.errors = [{instancePath,schemaPath:"#/oneOf/1/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props0 !== true){
props0 = true;
}
}
else if(tag0 === "group"){
const _errs14 = errors;
if(errors === _errs14){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing3;
if(((data.type === undefined) && (missing3 = "type")) || ((data.name === undefined) && (missing3 = "name"))){
validate155.errors = [{instancePath,schemaPath:"#/oneOf/2/required",keyword:"required",params:{missingProperty: missing3},message:"must have required property '"+missing3+"'"}];
return false;
}
else {
const _errs16 = errors;
for(const key2 in data){
if(!((key2 === "type") || (key2 === "name"))){
validate155.errors = [{instancePath,schemaPath:"#/oneOf/2/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs16 === errors){
if(data.type !== undefined){
const _errs17 = errors;
if("group" !== data.type){
validate155.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/2/properties/type/const",keyword:"const",params:{allowedValue: "group"},message:"must be equal to constant"}];
return false;
}
var valid6 = _errs17 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data.name !== undefined){
const _errs18 = errors;
if(typeof data.name !== "string"){
validate155.errors = [{instancePath:instancePath+"/name",schemaPath:"#/oneOf/2/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid6 = _errs18 === errors;
}
else {
var valid6 = true;
}
}
}
}
}
else {
validate155.errors = [{instancePath,schemaPath:"#/oneOf/2/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props0 !== true){
props0 = true;
}
}
else if(tag0 === "tenant_policy"){
const _errs20 = errors;
if(errors === _errs20){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing4;
if((data.type === undefined) && (missing4 = "type")){
validate155.errors = [{instancePath,schemaPath:"#/oneOf/3/required",keyword:"required",params:{missingProperty: missing4},message:"must have required property '"+missing4+"'"}];
return false;
}
else {
const _errs22 = errors;
for(const key3 in data){
if(!(key3 === "type")){
validate155.errors = [{instancePath,schemaPath:"#/oneOf/3/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs22 === errors){
if(data.type !== undefined){
if("tenant_policy" !== data.type){
validate155.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/3/properties/type/const",keyword:"const",params:{allowedValue: "tenant_policy"},message:"must be equal to constant"}];
return false;
}
}
}
}
}
else {
validate155.errors = [{instancePath,schemaPath:"#/oneOf/3/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props0 !== true){
props0 = true;
}
}
else if(tag0 === "external_system"){
const _errs24 = errors;
if(errors === _errs24){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing5;
if(((data.type === undefined) && (missing5 = "type")) || ((data.system === undefined) && (missing5 = "system"))){
validate155.errors = [{instancePath,schemaPath:"#/oneOf/4/required",keyword:"required",params:{missingProperty: missing5},message:"must have required property '"+missing5+"'"}];
return false;
}
else {
const _errs26 = errors;
for(const key4 in data){
if(!((key4 === "type") || (key4 === "system"))){
validate155.errors = [{instancePath,schemaPath:"#/oneOf/4/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key4},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs26 === errors){
if(data.type !== undefined){
const _errs27 = errors;
if("external_system" !== data.type){
validate155.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/4/properties/type/const",keyword:"const",params:{allowedValue: "external_system"},message:"must be equal to constant"}];
return false;
}
var valid10 = _errs27 === errors;
}
else {
var valid10 = true;
}
if(valid10){
if(data.system !== undefined){
const _errs28 = errors;
if(typeof data.system !== "string"){
validate155.errors = [{instancePath:instancePath+"/system",schemaPath:"#/oneOf/4/properties/system/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid10 = _errs28 === errors;
}
else {
var valid10 = true;
}
}
}
}
}
else {
validate155.errors = [{instancePath,schemaPath:"#/oneOf/4/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props0 !== true){
props0 = true;
}
}
else {
validate155.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{error: "mapping", tag: "type", tagValue: tag0},message:"value of tag \"type\" must be in oneOf"}];
return false;
}
}
else {
validate155.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{error: "tag", tag: "type", tagValue: tag0},message:"tag \"type\" must be string"}];
return false;
}
}
}
else {
validate155.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate155.errors = vErrors;
evaluated0.props = props0;
return errors === 0;
}
validate155.evaluated = {"dynamicProps":true,"dynamicItems":false};

const schema70 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/approval_policy.schema.json","title":"ApprovalPolicy","description":"When and by whom an action is approved.","type":"object","required":["required","approver_selector"],"properties":{"required":{"type":"boolean"},"reason":{"type":["string","null"]},"approver_selector":{"$ref":"approver_selector.schema.json"},"ttl_ms":{"type":["integer","null"],"minimum":0},"evidence_requirements":{"type":"array","items":{"enum":["reason","input_snapshot","policy_decision","external_ticket","attachment"]}},"delegated_authority":{"anyOf":[{"$ref":"delegated_approval_authority.schema.json"},{"type":"null"}]},"rule":{"anyOf":[{"$ref":"approval_rule.schema.json"},{"type":"null"}]},"minimum_distinct_principals":{"type":"integer","minimum":0,"default":1},"separation_of_duties":{"$ref":"separation_of_duties.schema.json","default":{}},"policy_version":{"type":["string","null"]}},"additionalProperties":false};
const schema71 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/delegated_approval_authority.schema.json","title":"DelegatedApprovalAuthority","description":"Declared delegation of approval.","type":"object","required":["principal"],"properties":{"principal":{"type":"string"},"scope":{"type":"array","items":{"type":"string"}},"expires_at":{"type":["string","null"]}},"additionalProperties":false};

function validate161(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/delegated_approval_authority.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate161.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.principal === undefined) && (missing0 = "principal")){
validate161.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "principal") || (key0 === "scope")) || (key0 === "expires_at"))){
validate161.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.principal !== undefined){
const _errs2 = errors;
if(typeof data.principal !== "string"){
validate161.errors = [{instancePath:instancePath+"/principal",schemaPath:"#/properties/principal/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.scope !== undefined){
let data1 = data.scope;
const _errs4 = errors;
if(errors === _errs4){
if(Array.isArray(data1)){
var valid1 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
const _errs6 = errors;
if(typeof data1[i0] !== "string"){
validate161.errors = [{instancePath:instancePath+"/scope/" + i0,schemaPath:"#/properties/scope/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs6 === errors;
if(!valid1){
break;
}
}
}
else {
validate161.errors = [{instancePath:instancePath+"/scope",schemaPath:"#/properties/scope/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.expires_at !== undefined){
let data3 = data.expires_at;
const _errs8 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate161.errors = [{instancePath:instancePath+"/expires_at",schemaPath:"#/properties/expires_at/type",keyword:"type",params:{type: schema71.properties.expires_at.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate161.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate161.errors = vErrors;
return errors === 0;
}
validate161.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema72 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/approval_rule.schema.json","title":"ApprovalRule","description":"Expression of approval authority.","type":"object","required":["operator"],"oneOf":[{"type":"object","required":["operator","rules"],"properties":{"operator":{"const":"all"},"rules":{"type":"array","items":{"$ref":"approval_rule.schema.json"}},"allow_decision_reuse":{"type":"boolean","default":false}},"additionalProperties":false},{"type":"object","required":["operator","rules"],"properties":{"operator":{"const":"any"},"rules":{"type":"array","items":{"$ref":"approval_rule.schema.json"}}},"additionalProperties":false},{"type":"object","required":["operator","required","rules"],"properties":{"operator":{"const":"quorum"},"required":{"type":"integer","minimum":0},"rules":{"type":"array","items":{"$ref":"approval_rule.schema.json"}},"distinct_principals":{"type":"boolean","default":true}},"additionalProperties":false},{"type":"object","required":["operator","id"],"properties":{"operator":{"const":"principal"},"id":{"type":"string"}},"additionalProperties":false},{"type":"object","required":["operator","name"],"properties":{"operator":{"const":"role"},"name":{"type":"string"}},"additionalProperties":false},{"type":"object","required":["operator","name"],"properties":{"operator":{"const":"group"},"name":{"type":"string"}},"additionalProperties":false},{"type":"object","required":["operator","policy_id"],"properties":{"operator":{"const":"tenant_policy"},"policy_id":{"type":"string"}},"additionalProperties":false},{"type":"object","required":["operator","system"],"properties":{"operator":{"const":"external_system"},"system":{"type":"string"}},"additionalProperties":false},{"type":"object","required":["operator","scope"],"properties":{"operator":{"const":"delegated_authority"},"scope":{"type":"string"},"max_risk":{"enum":["low","medium","high","critical",null]},"max_value":{"type":["integer","null"],"minimum":0}},"additionalProperties":false}],"discriminator":{"propertyName":"operator"}};
const wrapper0 = {validate: validate163};

function validate163(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/approval_rule.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate163.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.operator === undefined) && (missing0 = "operator")){
validate163.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const tag0 = data.operator;
if(typeof tag0 == "string"){
if(tag0 === "all"){
const _errs2 = errors;
if(errors === _errs2){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing1;
if(((data.operator === undefined) && (missing1 = "operator")) || ((data.rules === undefined) && (missing1 = "rules"))){
validate163.errors = [{instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}
else {
const _errs4 = errors;
for(const key0 in data){
if(!(((key0 === "operator") || (key0 === "rules")) || (key0 === "allow_decision_reuse"))){
validate163.errors = [{instancePath,schemaPath:"#/oneOf/0/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs4 === errors){
if(data.operator !== undefined){
const _errs5 = errors;
if("all" !== data.operator){
validate163.errors = [{instancePath:instancePath+"/operator",schemaPath:"#/oneOf/0/properties/operator/const",keyword:"const",params:{allowedValue: "all"},message:"must be equal to constant"}];
return false;
}
var valid2 = _errs5 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data.rules !== undefined){
let data1 = data.rules;
const _errs6 = errors;
if(errors === _errs6){
if(Array.isArray(data1)){
var valid3 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
const _errs8 = errors;
if(!(wrapper0.validate(data1[i0], {instancePath:instancePath+"/rules/" + i0,parentData:data1,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? wrapper0.validate.errors : vErrors.concat(wrapper0.validate.errors);
errors = vErrors.length;
}
var valid3 = _errs8 === errors;
if(!valid3){
break;
}
}
}
else {
validate163.errors = [{instancePath:instancePath+"/rules",schemaPath:"#/oneOf/0/properties/rules/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid2 = _errs6 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data.allow_decision_reuse !== undefined){
const _errs9 = errors;
if(typeof data.allow_decision_reuse !== "boolean"){
validate163.errors = [{instancePath:instancePath+"/allow_decision_reuse",schemaPath:"#/oneOf/0/properties/allow_decision_reuse/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid2 = _errs9 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
}
else {
validate163.errors = [{instancePath,schemaPath:"#/oneOf/0/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var props1 = true;
}
else if(tag0 === "any"){
const _errs11 = errors;
if(errors === _errs11){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing2;
if(((data.operator === undefined) && (missing2 = "operator")) || ((data.rules === undefined) && (missing2 = "rules"))){
validate163.errors = [{instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing2},message:"must have required property '"+missing2+"'"}];
return false;
}
else {
const _errs13 = errors;
for(const key1 in data){
if(!((key1 === "operator") || (key1 === "rules"))){
validate163.errors = [{instancePath,schemaPath:"#/oneOf/1/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs13 === errors){
if(data.operator !== undefined){
const _errs14 = errors;
if("any" !== data.operator){
validate163.errors = [{instancePath:instancePath+"/operator",schemaPath:"#/oneOf/1/properties/operator/const",keyword:"const",params:{allowedValue: "any"},message:"must be equal to constant"}];
return false;
}
var valid5 = _errs14 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.rules !== undefined){
let data5 = data.rules;
const _errs15 = errors;
if(errors === _errs15){
if(Array.isArray(data5)){
var valid6 = true;
const len1 = data5.length;
for(let i1=0; i1<len1; i1++){
const _errs17 = errors;
if(!(wrapper0.validate(data5[i1], {instancePath:instancePath+"/rules/" + i1,parentData:data5,parentDataProperty:i1,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? wrapper0.validate.errors : vErrors.concat(wrapper0.validate.errors);
errors = vErrors.length;
}
var valid6 = _errs17 === errors;
if(!valid6){
break;
}
}
}
else {
validate163.errors = [{instancePath:instancePath+"/rules",schemaPath:"#/oneOf/1/properties/rules/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid5 = _errs15 === errors;
}
else {
var valid5 = true;
}
}
}
}
}
else {
validate163.errors = [{instancePath,schemaPath:"#/oneOf/1/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props1 !== true){
props1 = true;
}
}
else if(tag0 === "quorum"){
const _errs18 = errors;
if(errors === _errs18){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing3;
if((((data.operator === undefined) && (missing3 = "operator")) || ((data.required === undefined) && (missing3 = "required"))) || ((data.rules === undefined) && (missing3 = "rules"))){
validate163.errors = [{instancePath,schemaPath:"#/oneOf/2/required",keyword:"required",params:{missingProperty: missing3},message:"must have required property '"+missing3+"'"}];
return false;
}
else {
const _errs20 = errors;
for(const key2 in data){
if(!((((key2 === "operator") || (key2 === "required")) || (key2 === "rules")) || (key2 === "distinct_principals"))){
validate163.errors = [{instancePath,schemaPath:"#/oneOf/2/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs20 === errors){
if(data.operator !== undefined){
const _errs21 = errors;
if("quorum" !== data.operator){
validate163.errors = [{instancePath:instancePath+"/operator",schemaPath:"#/oneOf/2/properties/operator/const",keyword:"const",params:{allowedValue: "quorum"},message:"must be equal to constant"}];
return false;
}
var valid8 = _errs21 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data.required !== undefined){
let data8 = data.required;
const _errs22 = errors;
if(!(((typeof data8 == "number") && (!(data8 % 1) && !isNaN(data8))) && (isFinite(data8)))){
validate163.errors = [{instancePath:instancePath+"/required",schemaPath:"#/oneOf/2/properties/required/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs22){
if((typeof data8 == "number") && (isFinite(data8))){
if(data8 < 0 || isNaN(data8)){
validate163.errors = [{instancePath:instancePath+"/required",schemaPath:"#/oneOf/2/properties/required/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid8 = _errs22 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data.rules !== undefined){
let data9 = data.rules;
const _errs24 = errors;
if(errors === _errs24){
if(Array.isArray(data9)){
var valid9 = true;
const len2 = data9.length;
for(let i2=0; i2<len2; i2++){
const _errs26 = errors;
if(!(wrapper0.validate(data9[i2], {instancePath:instancePath+"/rules/" + i2,parentData:data9,parentDataProperty:i2,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? wrapper0.validate.errors : vErrors.concat(wrapper0.validate.errors);
errors = vErrors.length;
}
var valid9 = _errs26 === errors;
if(!valid9){
break;
}
}
}
else {
validate163.errors = [{instancePath:instancePath+"/rules",schemaPath:"#/oneOf/2/properties/rules/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid8 = _errs24 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data.distinct_principals !== undefined){
const _errs27 = errors;
if(typeof data.distinct_principals !== "boolean"){
validate163.errors = [{instancePath:instancePath+"/distinct_principals",schemaPath:"#/oneOf/2/properties/distinct_principals/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid8 = _errs27 === errors;
}
else {
var valid8 = true;
}
}
}
}
}
}
}
else {
validate163.errors = [{instancePath,schemaPath:"#/oneOf/2/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props1 !== true){
props1 = true;
}
}
else if(tag0 === "principal"){
const _errs29 = errors;
if(errors === _errs29){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing4;
if(((data.operator === undefined) && (missing4 = "operator")) || ((data.id === undefined) && (missing4 = "id"))){
validate163.errors = [{instancePath,schemaPath:"#/oneOf/3/required",keyword:"required",params:{missingProperty: missing4},message:"must have required property '"+missing4+"'"}];
return false;
}
else {
const _errs31 = errors;
for(const key3 in data){
if(!((key3 === "operator") || (key3 === "id"))){
validate163.errors = [{instancePath,schemaPath:"#/oneOf/3/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs31 === errors){
if(data.operator !== undefined){
const _errs32 = errors;
if("principal" !== data.operator){
validate163.errors = [{instancePath:instancePath+"/operator",schemaPath:"#/oneOf/3/properties/operator/const",keyword:"const",params:{allowedValue: "principal"},message:"must be equal to constant"}];
return false;
}
var valid11 = _errs32 === errors;
}
else {
var valid11 = true;
}
if(valid11){
if(data.id !== undefined){
const _errs33 = errors;
if(typeof data.id !== "string"){
validate163.errors = [{instancePath:instancePath+"/id",schemaPath:"#/oneOf/3/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid11 = _errs33 === errors;
}
else {
var valid11 = true;
}
}
}
}
}
else {
validate163.errors = [{instancePath,schemaPath:"#/oneOf/3/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props1 !== true){
props1 = true;
}
}
else if(tag0 === "role"){
const _errs35 = errors;
if(errors === _errs35){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing5;
if(((data.operator === undefined) && (missing5 = "operator")) || ((data.name === undefined) && (missing5 = "name"))){
validate163.errors = [{instancePath,schemaPath:"#/oneOf/4/required",keyword:"required",params:{missingProperty: missing5},message:"must have required property '"+missing5+"'"}];
return false;
}
else {
const _errs37 = errors;
for(const key4 in data){
if(!((key4 === "operator") || (key4 === "name"))){
validate163.errors = [{instancePath,schemaPath:"#/oneOf/4/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key4},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs37 === errors){
if(data.operator !== undefined){
const _errs38 = errors;
if("role" !== data.operator){
validate163.errors = [{instancePath:instancePath+"/operator",schemaPath:"#/oneOf/4/properties/operator/const",keyword:"const",params:{allowedValue: "role"},message:"must be equal to constant"}];
return false;
}
var valid13 = _errs38 === errors;
}
else {
var valid13 = true;
}
if(valid13){
if(data.name !== undefined){
const _errs39 = errors;
if(typeof data.name !== "string"){
validate163.errors = [{instancePath:instancePath+"/name",schemaPath:"#/oneOf/4/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid13 = _errs39 === errors;
}
else {
var valid13 = true;
}
}
}
}
}
else {
validate163.errors = [{instancePath,schemaPath:"#/oneOf/4/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props1 !== true){
props1 = true;
}
}
else if(tag0 === "group"){
const _errs41 = errors;
if(errors === _errs41){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing6;
if(((data.operator === undefined) && (missing6 = "operator")) || ((data.name === undefined) && (missing6 = "name"))){
validate163.errors = [{instancePath,schemaPath:"#/oneOf/5/required",keyword:"required",params:{missingProperty: missing6},message:"must have required property '"+missing6+"'"}];
return false;
}
else {
const _errs43 = errors;
for(const key5 in data){
if(!((key5 === "operator") || (key5 === "name"))){
validate163.errors = [{instancePath,schemaPath:"#/oneOf/5/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key5},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs43 === errors){
if(data.operator !== undefined){
const _errs44 = errors;
if("group" !== data.operator){
validate163.errors = [{instancePath:instancePath+"/operator",schemaPath:"#/oneOf/5/properties/operator/const",keyword:"const",params:{allowedValue: "group"},message:"must be equal to constant"}];
return false;
}
var valid15 = _errs44 === errors;
}
else {
var valid15 = true;
}
if(valid15){
if(data.name !== undefined){
const _errs45 = errors;
if(typeof data.name !== "string"){
validate163.errors = [{instancePath:instancePath+"/name",schemaPath:"#/oneOf/5/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid15 = _errs45 === errors;
}
else {
var valid15 = true;
}
}
}
}
}
else {
validate163.errors = [{instancePath,schemaPath:"#/oneOf/5/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props1 !== true){
props1 = true;
}
}
else if(tag0 === "tenant_policy"){
const _errs47 = errors;
if(errors === _errs47){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing7;
if(((data.operator === undefined) && (missing7 = "operator")) || ((data.policy_id === undefined) && (missing7 = "policy_id"))){
validate163.errors = [{instancePath,schemaPath:"#/oneOf/6/required",keyword:"required",params:{missingProperty: missing7},message:"must have required property '"+missing7+"'"}];
return false;
}
else {
const _errs49 = errors;
for(const key6 in data){
if(!((key6 === "operator") || (key6 === "policy_id"))){
validate163.errors = [{instancePath,schemaPath:"#/oneOf/6/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key6},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs49 === errors){
if(data.operator !== undefined){
const _errs50 = errors;
if("tenant_policy" !== data.operator){
validate163.errors = [{instancePath:instancePath+"/operator",schemaPath:"#/oneOf/6/properties/operator/const",keyword:"const",params:{allowedValue: "tenant_policy"},message:"must be equal to constant"}];
return false;
}
var valid17 = _errs50 === errors;
}
else {
var valid17 = true;
}
if(valid17){
if(data.policy_id !== undefined){
const _errs51 = errors;
if(typeof data.policy_id !== "string"){
validate163.errors = [{instancePath:instancePath+"/policy_id",schemaPath:"#/oneOf/6/properties/policy_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid17 = _errs51 === errors;
}
else {
var valid17 = true;
}
}
}
}
}
else {
validate163.errors = [{instancePath,schemaPath:"#/oneOf/6/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props1 !== true){
props1 = true;
}
}
else if(tag0 === "external_system"){
const _errs53 = errors;
if(errors === _errs53){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing8;
if(((data.operator === undefined) && (missing8 = "operator")) || ((data.system === undefined) && (missing8 = "system"))){
validate163.errors = [{instancePath,schemaPath:"#/oneOf/7/required",keyword:"required",params:{missingProperty: missing8},message:"must have required property '"+missing8+"'"}];
return false;
}
else {
const _errs55 = errors;
for(const key7 in data){
if(!((key7 === "operator") || (key7 === "system"))){
validate163.errors = [{instancePath,schemaPath:"#/oneOf/7/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key7},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs55 === errors){
if(data.operator !== undefined){
const _errs56 = errors;
if("external_system" !== data.operator){
validate163.errors = [{instancePath:instancePath+"/operator",schemaPath:"#/oneOf/7/properties/operator/const",keyword:"const",params:{allowedValue: "external_system"},message:"must be equal to constant"}];
return false;
}
var valid19 = _errs56 === errors;
}
else {
var valid19 = true;
}
if(valid19){
if(data.system !== undefined){
const _errs57 = errors;
if(typeof data.system !== "string"){
validate163.errors = [{instancePath:instancePath+"/system",schemaPath:"#/oneOf/7/properties/system/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid19 = _errs57 === errors;
}
else {
var valid19 = true;
}
}
}
}
}
else {
validate163.errors = [{instancePath,schemaPath:"#/oneOf/7/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props1 !== true){
props1 = true;
}
}
else if(tag0 === "delegated_authority"){
const _errs59 = errors;
if(errors === _errs59){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing9;
if(((data.operator === undefined) && (missing9 = "operator")) || ((data.scope === undefined) && (missing9 = "scope"))){
validate163.errors = [{instancePath,schemaPath:"#/oneOf/8/required",keyword:"required",params:{missingProperty: missing9},message:"must have required property '"+missing9+"'"}];
return false;
}
else {
const _errs61 = errors;
for(const key8 in data){
if(!((((key8 === "operator") || (key8 === "scope")) || (key8 === "max_risk")) || (key8 === "max_value"))){
validate163.errors = [{instancePath,schemaPath:"#/oneOf/8/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key8},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs61 === errors){
if(data.operator !== undefined){
const _errs62 = errors;
if("delegated_authority" !== data.operator){
validate163.errors = [{instancePath:instancePath+"/operator",schemaPath:"#/oneOf/8/properties/operator/const",keyword:"const",params:{allowedValue: "delegated_authority"},message:"must be equal to constant"}];
return false;
}
var valid21 = _errs62 === errors;
}
else {
var valid21 = true;
}
if(valid21){
if(data.scope !== undefined){
const _errs63 = errors;
if(typeof data.scope !== "string"){
validate163.errors = [{instancePath:instancePath+"/scope",schemaPath:"#/oneOf/8/properties/scope/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid21 = _errs63 === errors;
}
else {
var valid21 = true;
}
if(valid21){
if(data.max_risk !== undefined){
let data24 = data.max_risk;
const _errs65 = errors;
if(!(((((data24 === "low") || (data24 === "medium")) || (data24 === "high")) || (data24 === "critical")) || (data24 === null))){
validate163.errors = [{instancePath:instancePath+"/max_risk",schemaPath:"#/oneOf/8/properties/max_risk/enum",keyword:"enum",params:{allowedValues: schema72.oneOf[8].properties.max_risk.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid21 = _errs65 === errors;
}
else {
var valid21 = true;
}
if(valid21){
if(data.max_value !== undefined){
let data25 = data.max_value;
const _errs66 = errors;
if((!(((typeof data25 == "number") && (!(data25 % 1) && !isNaN(data25))) && (isFinite(data25)))) && (data25 !== null)){
validate163.errors = [{instancePath:instancePath+"/max_value",schemaPath:"#/oneOf/8/properties/max_value/type",keyword:"type",params:{type: schema72.oneOf[8].properties.max_value.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs66){
if((typeof data25 == "number") && (isFinite(data25))){
if(data25 < 0 || isNaN(data25)){
validate163.errors = [{instancePath:instancePath+"/max_value",schemaPath:"#/oneOf/8/properties/max_value/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid21 = _errs66 === errors;
}
else {
var valid21 = true;
}
}
}
}
}
}
}
else {
validate163.errors = [{instancePath,schemaPath:"#/oneOf/8/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props1 !== true){
props1 = true;
}
}
else {
validate163.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{error: "mapping", tag: "operator", tagValue: tag0},message:"value of tag \"operator\" must be in oneOf"}];
return false;
}
}
else {
validate163.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{error: "tag", tag: "operator", tagValue: tag0},message:"tag \"operator\" must be string"}];
return false;
}
}
}
else {
validate163.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate163.errors = vErrors;
evaluated0.props = props1;
return errors === 0;
}
validate163.evaluated = {"dynamicProps":true,"dynamicItems":false};

const schema73 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/separation_of_duties.schema.json","title":"SeparationOfDuties","description":"Who must not decide.","type":"object","required":[],"properties":{"requester_must_differ":{"type":"boolean","default":false},"operator_must_differ":{"type":"boolean","default":false},"allow_self_approval":{"type":"boolean","default":false}},"additionalProperties":false};

function validate165(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/separation_of_duties.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate165.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "requester_must_differ") || (key0 === "operator_must_differ")) || (key0 === "allow_self_approval"))){
validate165.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.requester_must_differ !== undefined){
const _errs2 = errors;
if(typeof data.requester_must_differ !== "boolean"){
validate165.errors = [{instancePath:instancePath+"/requester_must_differ",schemaPath:"#/properties/requester_must_differ/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.operator_must_differ !== undefined){
const _errs4 = errors;
if(typeof data.operator_must_differ !== "boolean"){
validate165.errors = [{instancePath:instancePath+"/operator_must_differ",schemaPath:"#/properties/operator_must_differ/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.allow_self_approval !== undefined){
const _errs6 = errors;
if(typeof data.allow_self_approval !== "boolean"){
validate165.errors = [{instancePath:instancePath+"/allow_self_approval",schemaPath:"#/properties/allow_self_approval/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate165.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate165.errors = vErrors;
return errors === 0;
}
validate165.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate159(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/approval_policy.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate159.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.required === undefined) && (missing0 = "required")) || ((data.approver_selector === undefined) && (missing0 = "approver_selector"))){
validate159.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema70.properties, key0))){
validate159.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.required !== undefined){
const _errs2 = errors;
if(typeof data.required !== "boolean"){
validate159.errors = [{instancePath:instancePath+"/required",schemaPath:"#/properties/required/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.reason !== undefined){
let data1 = data.reason;
const _errs4 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate159.errors = [{instancePath:instancePath+"/reason",schemaPath:"#/properties/reason/type",keyword:"type",params:{type: schema70.properties.reason.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.approver_selector !== undefined){
const _errs6 = errors;
if(!(validate155(data.approver_selector, {instancePath:instancePath+"/approver_selector",parentData:data,parentDataProperty:"approver_selector",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate155.errors : vErrors.concat(validate155.errors);
errors = vErrors.length;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.ttl_ms !== undefined){
let data3 = data.ttl_ms;
const _errs7 = errors;
if((!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))) && (data3 !== null)){
validate159.errors = [{instancePath:instancePath+"/ttl_ms",schemaPath:"#/properties/ttl_ms/type",keyword:"type",params:{type: schema70.properties.ttl_ms.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs7){
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 < 0 || isNaN(data3)){
validate159.errors = [{instancePath:instancePath+"/ttl_ms",schemaPath:"#/properties/ttl_ms/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.evidence_requirements !== undefined){
let data4 = data.evidence_requirements;
const _errs9 = errors;
if(errors === _errs9){
if(Array.isArray(data4)){
var valid1 = true;
const len0 = data4.length;
for(let i0=0; i0<len0; i0++){
let data5 = data4[i0];
const _errs11 = errors;
if(!(((((data5 === "reason") || (data5 === "input_snapshot")) || (data5 === "policy_decision")) || (data5 === "external_ticket")) || (data5 === "attachment"))){
validate159.errors = [{instancePath:instancePath+"/evidence_requirements/" + i0,schemaPath:"#/properties/evidence_requirements/items/enum",keyword:"enum",params:{allowedValues: schema70.properties.evidence_requirements.items.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid1 = _errs11 === errors;
if(!valid1){
break;
}
}
}
else {
validate159.errors = [{instancePath:instancePath+"/evidence_requirements",schemaPath:"#/properties/evidence_requirements/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.delegated_authority !== undefined){
let data6 = data.delegated_authority;
const _errs12 = errors;
const _errs13 = errors;
let valid2 = false;
const _errs14 = errors;
if(!(validate161(data6, {instancePath:instancePath+"/delegated_authority",parentData:data,parentDataProperty:"delegated_authority",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate161.errors : vErrors.concat(validate161.errors);
errors = vErrors.length;
}
var _valid0 = _errs14 === errors;
valid2 = valid2 || _valid0;
const _errs15 = errors;
if(data6 !== null){
const err0 = {instancePath:instancePath+"/delegated_authority",schemaPath:"#/properties/delegated_authority/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs15 === errors;
valid2 = valid2 || _valid0;
if(!valid2){
const err1 = {instancePath:instancePath+"/delegated_authority",schemaPath:"#/properties/delegated_authority/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate159.errors = vErrors;
return false;
}
else {
errors = _errs13;
if(vErrors !== null){
if(_errs13){
vErrors.length = _errs13;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.rule !== undefined){
let data7 = data.rule;
const _errs17 = errors;
const _errs18 = errors;
let valid3 = false;
const _errs19 = errors;
if(!(validate163(data7, {instancePath:instancePath+"/rule",parentData:data,parentDataProperty:"rule",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate163.errors : vErrors.concat(validate163.errors);
errors = vErrors.length;
}
var _valid1 = _errs19 === errors;
valid3 = valid3 || _valid1;
const _errs20 = errors;
if(data7 !== null){
const err2 = {instancePath:instancePath+"/rule",schemaPath:"#/properties/rule/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
var _valid1 = _errs20 === errors;
valid3 = valid3 || _valid1;
if(!valid3){
const err3 = {instancePath:instancePath+"/rule",schemaPath:"#/properties/rule/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
validate159.errors = vErrors;
return false;
}
else {
errors = _errs18;
if(vErrors !== null){
if(_errs18){
vErrors.length = _errs18;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.minimum_distinct_principals !== undefined){
let data8 = data.minimum_distinct_principals;
const _errs22 = errors;
if(!(((typeof data8 == "number") && (!(data8 % 1) && !isNaN(data8))) && (isFinite(data8)))){
validate159.errors = [{instancePath:instancePath+"/minimum_distinct_principals",schemaPath:"#/properties/minimum_distinct_principals/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs22){
if((typeof data8 == "number") && (isFinite(data8))){
if(data8 < 0 || isNaN(data8)){
validate159.errors = [{instancePath:instancePath+"/minimum_distinct_principals",schemaPath:"#/properties/minimum_distinct_principals/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs22 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.separation_of_duties !== undefined){
const _errs24 = errors;
if(!(validate165(data.separation_of_duties, {instancePath:instancePath+"/separation_of_duties",parentData:data,parentDataProperty:"separation_of_duties",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate165.errors : vErrors.concat(validate165.errors);
errors = vErrors.length;
}
var valid0 = _errs24 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.policy_version !== undefined){
let data10 = data.policy_version;
const _errs25 = errors;
if((typeof data10 !== "string") && (data10 !== null)){
validate159.errors = [{instancePath:instancePath+"/policy_version",schemaPath:"#/properties/policy_version/type",keyword:"type",params:{type: schema70.properties.policy_version.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs25 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate159.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate159.errors = vErrors;
return errors === 0;
}
validate159.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate152(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/approval_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate152.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((((((data.id === undefined) && (missing0 = "id")) || ((data.action_id === undefined) && (missing0 = "action_id"))) || ((data.capability_id === undefined) && (missing0 = "capability_id"))) || ((data.requester === undefined) && (missing0 = "requester"))) || ((data.subject === undefined) && (missing0 = "subject"))) || ((data.approver_selector === undefined) && (missing0 = "approver_selector"))) || ((data.reason === undefined) && (missing0 = "reason"))){
validate152.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema68.properties, key0))){
validate152.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate152.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.action_id !== undefined){
const _errs4 = errors;
if(typeof data.action_id !== "string"){
validate152.errors = [{instancePath:instancePath+"/action_id",schemaPath:"#/properties/action_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.capability_id !== undefined){
const _errs6 = errors;
if(typeof data.capability_id !== "string"){
validate152.errors = [{instancePath:instancePath+"/capability_id",schemaPath:"#/properties/capability_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.requester !== undefined){
const _errs8 = errors;
if(!(validate57(data.requester, {instancePath:instancePath+"/requester",parentData:data,parentDataProperty:"requester",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.subject !== undefined){
const _errs9 = errors;
if(!(validate57(data.subject, {instancePath:instancePath+"/subject",parentData:data,parentDataProperty:"subject",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.approver_selector !== undefined){
const _errs10 = errors;
if(!(validate155(data.approver_selector, {instancePath:instancePath+"/approver_selector",parentData:data,parentDataProperty:"approver_selector",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate155.errors : vErrors.concat(validate155.errors);
errors = vErrors.length;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.reason !== undefined){
const _errs11 = errors;
if(typeof data.reason !== "string"){
validate152.errors = [{instancePath:instancePath+"/reason",schemaPath:"#/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.evidence !== undefined){
let data7 = data.evidence;
const _errs13 = errors;
if(errors === _errs13){
if(Array.isArray(data7)){
var valid1 = true;
const len0 = data7.length;
for(let i0=0; i0<len0; i0++){
const _errs15 = errors;
if(!(validate95(data7[i0], {instancePath:instancePath+"/evidence/" + i0,parentData:data7,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate95.errors : vErrors.concat(validate95.errors);
errors = vErrors.length;
}
var valid1 = _errs15 === errors;
if(!valid1){
break;
}
}
}
else {
validate152.errors = [{instancePath:instancePath+"/evidence",schemaPath:"#/properties/evidence/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.expires_at !== undefined){
let data9 = data.expires_at;
const _errs16 = errors;
if((typeof data9 !== "string") && (data9 !== null)){
validate152.errors = [{instancePath:instancePath+"/expires_at",schemaPath:"#/properties/expires_at/type",keyword:"type",params:{type: schema68.properties.expires_at.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs16 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.policy_decision_id !== undefined){
let data10 = data.policy_decision_id;
const _errs18 = errors;
if((typeof data10 !== "string") && (data10 !== null)){
validate152.errors = [{instancePath:instancePath+"/policy_decision_id",schemaPath:"#/properties/policy_decision_id/type",keyword:"type",params:{type: schema68.properties.policy_decision_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs18 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.identity !== undefined){
let data11 = data.identity;
const _errs20 = errors;
const _errs21 = errors;
let valid2 = false;
const _errs22 = errors;
if(!(validate76(data11, {instancePath:instancePath+"/identity",parentData:data,parentDataProperty:"identity",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate76.errors : vErrors.concat(validate76.errors);
errors = vErrors.length;
}
var _valid0 = _errs22 === errors;
valid2 = valid2 || _valid0;
const _errs23 = errors;
if(data11 !== null){
const err0 = {instancePath:instancePath+"/identity",schemaPath:"#/properties/identity/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs23 === errors;
valid2 = valid2 || _valid0;
if(!valid2){
const err1 = {instancePath:instancePath+"/identity",schemaPath:"#/properties/identity/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate152.errors = vErrors;
return false;
}
else {
errors = _errs21;
if(vErrors !== null){
if(_errs21){
vErrors.length = _errs21;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs20 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.policy_snapshot !== undefined){
let data12 = data.policy_snapshot;
const _errs25 = errors;
const _errs26 = errors;
let valid3 = false;
const _errs27 = errors;
if(!(validate159(data12, {instancePath:instancePath+"/policy_snapshot",parentData:data,parentDataProperty:"policy_snapshot",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate159.errors : vErrors.concat(validate159.errors);
errors = vErrors.length;
}
var _valid1 = _errs27 === errors;
valid3 = valid3 || _valid1;
const _errs28 = errors;
if(data12 !== null){
const err2 = {instancePath:instancePath+"/policy_snapshot",schemaPath:"#/properties/policy_snapshot/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
var _valid1 = _errs28 === errors;
valid3 = valid3 || _valid1;
if(!valid3){
const err3 = {instancePath:instancePath+"/policy_snapshot",schemaPath:"#/properties/policy_snapshot/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
validate152.errors = vErrors;
return false;
}
else {
errors = _errs26;
if(vErrors !== null){
if(_errs26){
vErrors.length = _errs26;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs25 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.policy_hash !== undefined){
let data13 = data.policy_hash;
const _errs30 = errors;
if((typeof data13 !== "string") && (data13 !== null)){
validate152.errors = [{instancePath:instancePath+"/policy_hash",schemaPath:"#/properties/policy_hash/type",keyword:"type",params:{type: schema68.properties.policy_hash.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs30 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.operator !== undefined){
let data14 = data.operator;
const _errs32 = errors;
const _errs33 = errors;
let valid4 = false;
const _errs34 = errors;
if(!(validate57(data14, {instancePath:instancePath+"/operator",parentData:data,parentDataProperty:"operator",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var _valid2 = _errs34 === errors;
valid4 = valid4 || _valid2;
const _errs35 = errors;
if(data14 !== null){
const err4 = {instancePath:instancePath+"/operator",schemaPath:"#/properties/operator/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
var _valid2 = _errs35 === errors;
valid4 = valid4 || _valid2;
if(!valid4){
const err5 = {instancePath:instancePath+"/operator",schemaPath:"#/properties/operator/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
validate152.errors = vErrors;
return false;
}
else {
errors = _errs33;
if(vErrors !== null){
if(_errs33){
vErrors.length = _errs33;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs32 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.risk !== undefined){
let data15 = data.risk;
const _errs37 = errors;
if(!(((((data15 === "low") || (data15 === "medium")) || (data15 === "high")) || (data15 === "critical")) || (data15 === null))){
validate152.errors = [{instancePath:instancePath+"/risk",schemaPath:"#/properties/risk/enum",keyword:"enum",params:{allowedValues: schema68.properties.risk.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs37 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.governed_value !== undefined){
let data16 = data.governed_value;
const _errs38 = errors;
if((!(((typeof data16 == "number") && (!(data16 % 1) && !isNaN(data16))) && (isFinite(data16)))) && (data16 !== null)){
validate152.errors = [{instancePath:instancePath+"/governed_value",schemaPath:"#/properties/governed_value/type",keyword:"type",params:{type: schema68.properties.governed_value.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs38){
if((typeof data16 == "number") && (isFinite(data16))){
if(data16 < 0 || isNaN(data16)){
validate152.errors = [{instancePath:instancePath+"/governed_value",schemaPath:"#/properties/governed_value/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs38 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate152.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate152.errors = vErrors;
return errors === 0;
}
validate152.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate151(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/approval_record_view.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate151.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((data.request === undefined) && (missing0 = "request")) || ((data.status === undefined) && (missing0 = "status"))) || ((data.created_at === undefined) && (missing0 = "created_at"))) || ((data.updated_at === undefined) && (missing0 = "updated_at"))){
validate151.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((((((key0 === "request") || (key0 === "decision")) || (key0 === "status")) || (key0 === "action_status")) || (key0 === "receipt_chain")) || (key0 === "evidence_payload")) || (key0 === "created_at")) || (key0 === "updated_at"))){
validate151.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.request !== undefined){
const _errs2 = errors;
if(!(validate152(data.request, {instancePath:instancePath+"/request",parentData:data,parentDataProperty:"request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate152.errors : vErrors.concat(validate152.errors);
errors = vErrors.length;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.decision !== undefined){
let data1 = data.decision;
const _errs3 = errors;
const _errs4 = errors;
let valid1 = false;
const _errs5 = errors;
if(!(validate91(data1, {instancePath:instancePath+"/decision",parentData:data,parentDataProperty:"decision",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate91.errors : vErrors.concat(validate91.errors);
errors = vErrors.length;
}
var _valid0 = _errs5 === errors;
valid1 = valid1 || _valid0;
const _errs6 = errors;
if(data1 !== null){
const err0 = {instancePath:instancePath+"/decision",schemaPath:"#/properties/decision/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs6 === errors;
valid1 = valid1 || _valid0;
if(!valid1){
const err1 = {instancePath:instancePath+"/decision",schemaPath:"#/properties/decision/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate151.errors = vErrors;
return false;
}
else {
errors = _errs4;
if(vErrors !== null){
if(_errs4){
vErrors.length = _errs4;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.status !== undefined){
const _errs8 = errors;
if(typeof data.status !== "string"){
validate151.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.action_status !== undefined){
let data3 = data.action_status;
const _errs10 = errors;
const _errs11 = errors;
let valid2 = false;
const _errs12 = errors;
if(!(validate135(data3, {instancePath:instancePath+"/action_status",parentData:data,parentDataProperty:"action_status",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate135.errors : vErrors.concat(validate135.errors);
errors = vErrors.length;
}
var _valid1 = _errs12 === errors;
valid2 = valid2 || _valid1;
const _errs13 = errors;
if(data3 !== null){
const err2 = {instancePath:instancePath+"/action_status",schemaPath:"#/properties/action_status/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
var _valid1 = _errs13 === errors;
valid2 = valid2 || _valid1;
if(!valid2){
const err3 = {instancePath:instancePath+"/action_status",schemaPath:"#/properties/action_status/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
validate151.errors = vErrors;
return false;
}
else {
errors = _errs11;
if(vErrors !== null){
if(_errs11){
vErrors.length = _errs11;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.receipt_chain !== undefined){
let data4 = data.receipt_chain;
const _errs15 = errors;
const _errs16 = errors;
let valid3 = false;
const _errs17 = errors;
if(!(validate137(data4, {instancePath:instancePath+"/receipt_chain",parentData:data,parentDataProperty:"receipt_chain",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate137.errors : vErrors.concat(validate137.errors);
errors = vErrors.length;
}
var _valid2 = _errs17 === errors;
valid3 = valid3 || _valid2;
const _errs18 = errors;
if(data4 !== null){
const err4 = {instancePath:instancePath+"/receipt_chain",schemaPath:"#/properties/receipt_chain/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
var _valid2 = _errs18 === errors;
valid3 = valid3 || _valid2;
if(!valid3){
const err5 = {instancePath:instancePath+"/receipt_chain",schemaPath:"#/properties/receipt_chain/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
validate151.errors = vErrors;
return false;
}
else {
errors = _errs16;
if(vErrors !== null){
if(_errs16){
vErrors.length = _errs16;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.evidence_payload !== undefined){
let data5 = data.evidence_payload;
const _errs20 = errors;
const _errs21 = errors;
let valid4 = false;
const _errs22 = errors;
if(!(validate147(data5, {instancePath:instancePath+"/evidence_payload",parentData:data,parentDataProperty:"evidence_payload",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate147.errors : vErrors.concat(validate147.errors);
errors = vErrors.length;
}
var _valid3 = _errs22 === errors;
valid4 = valid4 || _valid3;
const _errs23 = errors;
if(data5 !== null){
const err6 = {instancePath:instancePath+"/evidence_payload",schemaPath:"#/properties/evidence_payload/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
var _valid3 = _errs23 === errors;
valid4 = valid4 || _valid3;
if(!valid4){
const err7 = {instancePath:instancePath+"/evidence_payload",schemaPath:"#/properties/evidence_payload/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
validate151.errors = vErrors;
return false;
}
else {
errors = _errs21;
if(vErrors !== null){
if(_errs21){
vErrors.length = _errs21;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs20 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.created_at !== undefined){
const _errs25 = errors;
if(typeof data.created_at !== "string"){
validate151.errors = [{instancePath:instancePath+"/created_at",schemaPath:"#/properties/created_at/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs25 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.updated_at !== undefined){
const _errs27 = errors;
if(typeof data.updated_at !== "string"){
validate151.errors = [{instancePath:instancePath+"/updated_at",schemaPath:"#/properties/updated_at/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs27 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
else {
validate151.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate151.errors = vErrors;
return errors === 0;
}
validate151.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate150(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/approval_list.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate150.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.approvals === undefined) && (missing0 = "approvals")){
validate150.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "approvals") || (key0 === "cursor"))){
validate150.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.approvals !== undefined){
let data0 = data.approvals;
const _errs2 = errors;
if(errors === _errs2){
if(Array.isArray(data0)){
var valid1 = true;
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
const _errs4 = errors;
if(!(validate151(data0[i0], {instancePath:instancePath+"/approvals/" + i0,parentData:data0,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate151.errors : vErrors.concat(validate151.errors);
errors = vErrors.length;
}
var valid1 = _errs4 === errors;
if(!valid1){
break;
}
}
}
else {
validate150.errors = [{instancePath:instancePath+"/approvals",schemaPath:"#/properties/approvals/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.cursor !== undefined){
let data2 = data.cursor;
const _errs5 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate150.errors = [{instancePath:instancePath+"/cursor",schemaPath:"#/properties/cursor/type",keyword:"type",params:{type: schema66.properties.cursor.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate150.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate150.errors = vErrors;
return errors === 0;
}
validate150.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ApprovalListRequest = validate175;
const schema74 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/approval_list_request.schema.json","title":"ApprovalListRequest","description":"Asks for a page of approvals.","type":"object","required":[],"properties":{"status":{"type":["string","null"]},"approver":{"type":["string","null"]},"requester":{"type":["string","null"]},"tenant_id":{"type":["string","null"]},"cursor":{"type":["string","null"]},"limit":{"type":["integer","null"],"minimum":0},"include_action_status":{"type":"boolean","default":false},"include_receipts":{"type":"boolean","default":false}},"additionalProperties":false};

function validate175(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/approval_list_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate175.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((((((((key0 === "status") || (key0 === "approver")) || (key0 === "requester")) || (key0 === "tenant_id")) || (key0 === "cursor")) || (key0 === "limit")) || (key0 === "include_action_status")) || (key0 === "include_receipts"))){
validate175.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.status !== undefined){
let data0 = data.status;
const _errs2 = errors;
if((typeof data0 !== "string") && (data0 !== null)){
validate175.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: schema74.properties.status.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.approver !== undefined){
let data1 = data.approver;
const _errs4 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate175.errors = [{instancePath:instancePath+"/approver",schemaPath:"#/properties/approver/type",keyword:"type",params:{type: schema74.properties.approver.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.requester !== undefined){
let data2 = data.requester;
const _errs6 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate175.errors = [{instancePath:instancePath+"/requester",schemaPath:"#/properties/requester/type",keyword:"type",params:{type: schema74.properties.requester.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tenant_id !== undefined){
let data3 = data.tenant_id;
const _errs8 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate175.errors = [{instancePath:instancePath+"/tenant_id",schemaPath:"#/properties/tenant_id/type",keyword:"type",params:{type: schema74.properties.tenant_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.cursor !== undefined){
let data4 = data.cursor;
const _errs10 = errors;
if((typeof data4 !== "string") && (data4 !== null)){
validate175.errors = [{instancePath:instancePath+"/cursor",schemaPath:"#/properties/cursor/type",keyword:"type",params:{type: schema74.properties.cursor.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.limit !== undefined){
let data5 = data.limit;
const _errs12 = errors;
if((!(((typeof data5 == "number") && (!(data5 % 1) && !isNaN(data5))) && (isFinite(data5)))) && (data5 !== null)){
validate175.errors = [{instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/type",keyword:"type",params:{type: schema74.properties.limit.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs12){
if((typeof data5 == "number") && (isFinite(data5))){
if(data5 < 0 || isNaN(data5)){
validate175.errors = [{instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include_action_status !== undefined){
const _errs14 = errors;
if(typeof data.include_action_status !== "boolean"){
validate175.errors = [{instancePath:instancePath+"/include_action_status",schemaPath:"#/properties/include_action_status/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include_receipts !== undefined){
const _errs16 = errors;
if(typeof data.include_receipts !== "boolean"){
validate175.errors = [{instancePath:instancePath+"/include_receipts",schemaPath:"#/properties/include_receipts/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs16 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate175.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate175.errors = vErrors;
return errors === 0;
}
validate175.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ApprovalPolicy = validate159;

export const ApprovalQueryRequest = validate176;
const schema75 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/approval_query_request.schema.json","title":"ApprovalQueryRequest","description":"Asks for an approval.","type":"object","required":["approval_id"],"properties":{"approval_id":{"type":"string"},"tenant_id":{"type":["string","null"]},"include_action_status":{"type":"boolean","default":false},"include_receipts":{"type":"boolean","default":false},"include_evidence_payload":{"type":"boolean","default":false}},"additionalProperties":false};

function validate176(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/approval_query_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate176.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.approval_id === undefined) && (missing0 = "approval_id")){
validate176.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((key0 === "approval_id") || (key0 === "tenant_id")) || (key0 === "include_action_status")) || (key0 === "include_receipts")) || (key0 === "include_evidence_payload"))){
validate176.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.approval_id !== undefined){
const _errs2 = errors;
if(typeof data.approval_id !== "string"){
validate176.errors = [{instancePath:instancePath+"/approval_id",schemaPath:"#/properties/approval_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tenant_id !== undefined){
let data1 = data.tenant_id;
const _errs4 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate176.errors = [{instancePath:instancePath+"/tenant_id",schemaPath:"#/properties/tenant_id/type",keyword:"type",params:{type: schema75.properties.tenant_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include_action_status !== undefined){
const _errs6 = errors;
if(typeof data.include_action_status !== "boolean"){
validate176.errors = [{instancePath:instancePath+"/include_action_status",schemaPath:"#/properties/include_action_status/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include_receipts !== undefined){
const _errs8 = errors;
if(typeof data.include_receipts !== "boolean"){
validate176.errors = [{instancePath:instancePath+"/include_receipts",schemaPath:"#/properties/include_receipts/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include_evidence_payload !== undefined){
const _errs10 = errors;
if(typeof data.include_evidence_payload !== "boolean"){
validate176.errors = [{instancePath:instancePath+"/include_evidence_payload",schemaPath:"#/properties/include_evidence_payload/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
else {
validate176.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate176.errors = vErrors;
return errors === 0;
}
validate176.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ApprovalRecordView = validate151;

export const ApprovalRequest = validate152;

export const ApprovalRule = validate163;

export const ApproverSelector = validate155;

export const DelegatedApprovalAuthority = validate161;

export const SeparationOfDuties = validate165;

export const SessionCloseRequest = validate177;
const schema76 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/session_close_request.schema.json","title":"SessionCloseRequest","description":"Closes a session.","type":"object","required":["session_id"],"properties":{"session_id":{"type":"string"},"reason":{"type":["string","null"]}},"additionalProperties":false};

function validate177(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/session_close_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate177.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.session_id === undefined) && (missing0 = "session_id")){
validate177.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "session_id") || (key0 === "reason"))){
validate177.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.session_id !== undefined){
const _errs2 = errors;
if(typeof data.session_id !== "string"){
validate177.errors = [{instancePath:instancePath+"/session_id",schemaPath:"#/properties/session_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.reason !== undefined){
let data1 = data.reason;
const _errs4 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate177.errors = [{instancePath:instancePath+"/reason",schemaPath:"#/properties/reason/type",keyword:"type",params:{type: schema76.properties.reason.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate177.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate177.errors = vErrors;
return errors === 0;
}
validate177.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const SessionList = validate178;
const schema77 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/session_list.schema.json","title":"SessionList","description":"A page of sessions.","type":"object","required":["sessions"],"properties":{"sessions":{"type":"array","items":{"$ref":"session_view.schema.json"}},"cursor":{"type":["string","null"]}},"additionalProperties":false};
const schema78 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/session_view.schema.json","title":"SessionView","description":"The view of a session.","type":"object","required":["session_id","status","principal","peer","created_at","updated_at","active_action_count"],"properties":{"session_id":{"type":"string"},"status":{"enum":["new","active","queued","processing","streaming","waiting_for_human","completed","failed","cancelled","settled"]},"principal":{"$ref":"principal.schema.json"},"peer":{"$ref":"principal.schema.json"},"created_at":{"type":"string"},"updated_at":{"type":"string"},"expires_at":{"type":["string","null"]},"active_action_count":{"type":"integer","minimum":0},"links":{"type":"object","additionalProperties":{"type":"string"}}},"additionalProperties":false};

function validate179(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/session_view.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate179.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((((((data.session_id === undefined) && (missing0 = "session_id")) || ((data.status === undefined) && (missing0 = "status"))) || ((data.principal === undefined) && (missing0 = "principal"))) || ((data.peer === undefined) && (missing0 = "peer"))) || ((data.created_at === undefined) && (missing0 = "created_at"))) || ((data.updated_at === undefined) && (missing0 = "updated_at"))) || ((data.active_action_count === undefined) && (missing0 = "active_action_count"))){
validate179.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema78.properties, key0))){
validate179.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.session_id !== undefined){
const _errs2 = errors;
if(typeof data.session_id !== "string"){
validate179.errors = [{instancePath:instancePath+"/session_id",schemaPath:"#/properties/session_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.status !== undefined){
let data1 = data.status;
const _errs4 = errors;
if(!((((((((((data1 === "new") || (data1 === "active")) || (data1 === "queued")) || (data1 === "processing")) || (data1 === "streaming")) || (data1 === "waiting_for_human")) || (data1 === "completed")) || (data1 === "failed")) || (data1 === "cancelled")) || (data1 === "settled"))){
validate179.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/enum",keyword:"enum",params:{allowedValues: schema78.properties.status.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.principal !== undefined){
const _errs5 = errors;
if(!(validate57(data.principal, {instancePath:instancePath+"/principal",parentData:data,parentDataProperty:"principal",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.peer !== undefined){
const _errs6 = errors;
if(!(validate57(data.peer, {instancePath:instancePath+"/peer",parentData:data,parentDataProperty:"peer",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.created_at !== undefined){
const _errs7 = errors;
if(typeof data.created_at !== "string"){
validate179.errors = [{instancePath:instancePath+"/created_at",schemaPath:"#/properties/created_at/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.updated_at !== undefined){
const _errs9 = errors;
if(typeof data.updated_at !== "string"){
validate179.errors = [{instancePath:instancePath+"/updated_at",schemaPath:"#/properties/updated_at/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.expires_at !== undefined){
let data6 = data.expires_at;
const _errs11 = errors;
if((typeof data6 !== "string") && (data6 !== null)){
validate179.errors = [{instancePath:instancePath+"/expires_at",schemaPath:"#/properties/expires_at/type",keyword:"type",params:{type: schema78.properties.expires_at.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.active_action_count !== undefined){
let data7 = data.active_action_count;
const _errs13 = errors;
if(!(((typeof data7 == "number") && (!(data7 % 1) && !isNaN(data7))) && (isFinite(data7)))){
validate179.errors = [{instancePath:instancePath+"/active_action_count",schemaPath:"#/properties/active_action_count/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs13){
if((typeof data7 == "number") && (isFinite(data7))){
if(data7 < 0 || isNaN(data7)){
validate179.errors = [{instancePath:instancePath+"/active_action_count",schemaPath:"#/properties/active_action_count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.links !== undefined){
let data8 = data.links;
const _errs15 = errors;
if(errors === _errs15){
if(data8 && typeof data8 == "object" && !Array.isArray(data8)){
for(const key1 in data8){
const _errs18 = errors;
if(typeof data8[key1] !== "string"){
validate179.errors = [{instancePath:instancePath+"/links/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/links/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs18 === errors;
if(!valid1){
break;
}
}
}
else {
validate179.errors = [{instancePath:instancePath+"/links",schemaPath:"#/properties/links/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate179.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate179.errors = vErrors;
return errors === 0;
}
validate179.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate178(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/session_list.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate178.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.sessions === undefined) && (missing0 = "sessions")){
validate178.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "sessions") || (key0 === "cursor"))){
validate178.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.sessions !== undefined){
let data0 = data.sessions;
const _errs2 = errors;
if(errors === _errs2){
if(Array.isArray(data0)){
var valid1 = true;
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
const _errs4 = errors;
if(!(validate179(data0[i0], {instancePath:instancePath+"/sessions/" + i0,parentData:data0,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate179.errors : vErrors.concat(validate179.errors);
errors = vErrors.length;
}
var valid1 = _errs4 === errors;
if(!valid1){
break;
}
}
}
else {
validate178.errors = [{instancePath:instancePath+"/sessions",schemaPath:"#/properties/sessions/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.cursor !== undefined){
let data2 = data.cursor;
const _errs5 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate178.errors = [{instancePath:instancePath+"/cursor",schemaPath:"#/properties/cursor/type",keyword:"type",params:{type: schema77.properties.cursor.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate178.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate178.errors = vErrors;
return errors === 0;
}
validate178.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const SessionListRequest = validate183;
const schema79 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/session_list_request.schema.json","title":"SessionListRequest","description":"Asks for a page of sessions.","type":"object","required":[],"properties":{"principal_id":{"type":["string","null"]},"status":{"enum":["new","active","queued","processing","streaming","waiting_for_human","completed","failed","cancelled","settled",null]},"cursor":{"type":["string","null"]},"limit":{"type":["integer","null"],"minimum":0}},"additionalProperties":false};

function validate183(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/session_list_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate183.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "principal_id") || (key0 === "status")) || (key0 === "cursor")) || (key0 === "limit"))){
validate183.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.principal_id !== undefined){
let data0 = data.principal_id;
const _errs2 = errors;
if((typeof data0 !== "string") && (data0 !== null)){
validate183.errors = [{instancePath:instancePath+"/principal_id",schemaPath:"#/properties/principal_id/type",keyword:"type",params:{type: schema79.properties.principal_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.status !== undefined){
let data1 = data.status;
const _errs4 = errors;
if(!(((((((((((data1 === "new") || (data1 === "active")) || (data1 === "queued")) || (data1 === "processing")) || (data1 === "streaming")) || (data1 === "waiting_for_human")) || (data1 === "completed")) || (data1 === "failed")) || (data1 === "cancelled")) || (data1 === "settled")) || (data1 === null))){
validate183.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/enum",keyword:"enum",params:{allowedValues: schema79.properties.status.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.cursor !== undefined){
let data2 = data.cursor;
const _errs5 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate183.errors = [{instancePath:instancePath+"/cursor",schemaPath:"#/properties/cursor/type",keyword:"type",params:{type: schema79.properties.cursor.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.limit !== undefined){
let data3 = data.limit;
const _errs7 = errors;
if((!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))) && (data3 !== null)){
validate183.errors = [{instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/type",keyword:"type",params:{type: schema79.properties.limit.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs7){
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 < 0 || isNaN(data3)){
validate183.errors = [{instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate183.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate183.errors = vErrors;
return errors === 0;
}
validate183.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const SessionRequest = validate184;
const schema80 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/session_request.schema.json","title":"SessionRequest","description":"Asks for a session.","type":"object","required":["session_id"],"properties":{"session_id":{"type":"string"}},"additionalProperties":false};

function validate184(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/session_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate184.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.session_id === undefined) && (missing0 = "session_id")){
validate184.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "session_id")){
validate184.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.session_id !== undefined){
if(typeof data.session_id !== "string"){
validate184.errors = [{instancePath:instancePath+"/session_id",schemaPath:"#/properties/session_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
}
}
}
else {
validate184.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate184.errors = vErrors;
return errors === 0;
}
validate184.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const SessionResume = validate185;
const schema81 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/session_resume.schema.json","title":"SessionResume","description":"A resumed session and the token that replaces the used one.","type":"object","required":["session"],"properties":{"session":{"$ref":"session_view.schema.json"},"replayed_events":{"type":"array","items":{"$ref":"event.schema.json"}},"next_cursor":{"type":["string","null"]},"resume_token":{"type":["string","null"]}},"additionalProperties":false};

function validate185(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/session_resume.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate185.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.session === undefined) && (missing0 = "session")){
validate185.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "session") || (key0 === "replayed_events")) || (key0 === "next_cursor")) || (key0 === "resume_token"))){
validate185.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.session !== undefined){
const _errs2 = errors;
if(!(validate179(data.session, {instancePath:instancePath+"/session",parentData:data,parentDataProperty:"session",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate179.errors : vErrors.concat(validate179.errors);
errors = vErrors.length;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.replayed_events !== undefined){
let data1 = data.replayed_events;
const _errs3 = errors;
if(errors === _errs3){
if(Array.isArray(data1)){
var valid1 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
const _errs5 = errors;
if(!(validate129(data1[i0], {instancePath:instancePath+"/replayed_events/" + i0,parentData:data1,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate129.errors : vErrors.concat(validate129.errors);
errors = vErrors.length;
}
var valid1 = _errs5 === errors;
if(!valid1){
break;
}
}
}
else {
validate185.errors = [{instancePath:instancePath+"/replayed_events",schemaPath:"#/properties/replayed_events/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.next_cursor !== undefined){
let data3 = data.next_cursor;
const _errs6 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate185.errors = [{instancePath:instancePath+"/next_cursor",schemaPath:"#/properties/next_cursor/type",keyword:"type",params:{type: schema81.properties.next_cursor.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.resume_token !== undefined){
let data4 = data.resume_token;
const _errs8 = errors;
if((typeof data4 !== "string") && (data4 !== null)){
validate185.errors = [{instancePath:instancePath+"/resume_token",schemaPath:"#/properties/resume_token/type",keyword:"type",params:{type: schema81.properties.resume_token.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate185.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate185.errors = vErrors;
return errors === 0;
}
validate185.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const SessionResumeRequest = validate188;
const schema82 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/session_resume_request.schema.json","title":"SessionResumeRequest","description":"Resumes a session with a single-use token.","type":"object","required":["session_id"],"properties":{"session_id":{"type":"string"},"resume_token":{"type":["string","null"]},"last_event_cursor":{"type":["string","null"]}},"additionalProperties":false};

function validate188(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/session_resume_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate188.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.session_id === undefined) && (missing0 = "session_id")){
validate188.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "session_id") || (key0 === "resume_token")) || (key0 === "last_event_cursor"))){
validate188.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.session_id !== undefined){
const _errs2 = errors;
if(typeof data.session_id !== "string"){
validate188.errors = [{instancePath:instancePath+"/session_id",schemaPath:"#/properties/session_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.resume_token !== undefined){
let data1 = data.resume_token;
const _errs4 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate188.errors = [{instancePath:instancePath+"/resume_token",schemaPath:"#/properties/resume_token/type",keyword:"type",params:{type: schema82.properties.resume_token.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.last_event_cursor !== undefined){
let data2 = data.last_event_cursor;
const _errs6 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate188.errors = [{instancePath:instancePath+"/last_event_cursor",schemaPath:"#/properties/last_event_cursor/type",keyword:"type",params:{type: schema82.properties.last_event_cursor.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate188.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate188.errors = vErrors;
return errors === 0;
}
validate188.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const SessionView = validate179;

export const ProviderOperationRef = validate189;
const schema83 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/provider_operation_ref.schema.json","title":"ProviderOperationRef","description":"An operation at the provider.","type":"object","required":["provider","operation_id"],"properties":{"provider":{"type":"string"},"operation_id":{"type":"string"},"request_id":{"type":["string","null"]}},"additionalProperties":false};

function validate189(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/provider_operation_ref.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate189.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.provider === undefined) && (missing0 = "provider")) || ((data.operation_id === undefined) && (missing0 = "operation_id"))){
validate189.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "provider") || (key0 === "operation_id")) || (key0 === "request_id"))){
validate189.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.provider !== undefined){
const _errs2 = errors;
if(typeof data.provider !== "string"){
validate189.errors = [{instancePath:instancePath+"/provider",schemaPath:"#/properties/provider/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.operation_id !== undefined){
const _errs4 = errors;
if(typeof data.operation_id !== "string"){
validate189.errors = [{instancePath:instancePath+"/operation_id",schemaPath:"#/properties/operation_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.request_id !== undefined){
let data2 = data.request_id;
const _errs6 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate189.errors = [{instancePath:instancePath+"/request_id",schemaPath:"#/properties/request_id/type",keyword:"type",params:{type: schema83.properties.request_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate189.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate189.errors = vErrors;
return errors === 0;
}
validate189.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const TransactionPlan = validate190;
const schema84 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/transaction_plan.schema.json","title":"TransactionPlan","description":"What a commit will do.","type":"object","required":["plan_id","transaction_id","action_id","capability_id","transaction","planned_by","input_hash","approval_required","created_at"],"properties":{"plan_id":{"type":"string"},"transaction_id":{"type":"string"},"action_id":{"type":"string"},"capability_id":{"type":"string"},"transaction":{"$ref":"action_transaction.schema.json"},"planned_by":{"$ref":"principal.schema.json"},"input_hash":{"type":"string"},"input_snapshot":{},"predicted_side_effects":{"type":"array","items":{"enum":["read","write","delete","send_message","financial","identity","medical","legal","external_network","code_execution"]}},"approval_required":{"type":"boolean"},"approval_policy":{"anyOf":[{"$ref":"approval_policy.schema.json"},{"type":"null"}]},"compensation":{"anyOf":[{"$ref":"compensation_contract.schema.json"},{"type":"null"}]},"dry_run_fidelity":{"enum":["schema_only","policy_and_schema","downstream_validation","full_simulation",null]},"identity":{"anyOf":[{"$ref":"identity_context.schema.json"},{"type":"null"}]},"created_at":{"type":"string"},"expires_at":{"type":["string","null"]},"metadata":{}},"additionalProperties":false};
const schema85 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/compensation_contract.schema.json","title":"CompensationContract","description":"How an effect is compensated.","type":"object","required":["mode","requires_approval"],"properties":{"mode":{"enum":["not_required","supported","best_effort","rollback_not_supported"]},"compensation_capability_id":{"type":["string","null"]},"compensation_window_ms":{"type":["integer","null"],"minimum":0},"requires_approval":{"type":"boolean"}},"additionalProperties":false};

function validate194(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/compensation_contract.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate194.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.mode === undefined) && (missing0 = "mode")) || ((data.requires_approval === undefined) && (missing0 = "requires_approval"))){
validate194.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "mode") || (key0 === "compensation_capability_id")) || (key0 === "compensation_window_ms")) || (key0 === "requires_approval"))){
validate194.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.mode !== undefined){
let data0 = data.mode;
const _errs2 = errors;
if(!((((data0 === "not_required") || (data0 === "supported")) || (data0 === "best_effort")) || (data0 === "rollback_not_supported"))){
validate194.errors = [{instancePath:instancePath+"/mode",schemaPath:"#/properties/mode/enum",keyword:"enum",params:{allowedValues: schema85.properties.mode.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.compensation_capability_id !== undefined){
let data1 = data.compensation_capability_id;
const _errs3 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate194.errors = [{instancePath:instancePath+"/compensation_capability_id",schemaPath:"#/properties/compensation_capability_id/type",keyword:"type",params:{type: schema85.properties.compensation_capability_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.compensation_window_ms !== undefined){
let data2 = data.compensation_window_ms;
const _errs5 = errors;
if((!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))) && (data2 !== null)){
validate194.errors = [{instancePath:instancePath+"/compensation_window_ms",schemaPath:"#/properties/compensation_window_ms/type",keyword:"type",params:{type: schema85.properties.compensation_window_ms.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs5){
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 < 0 || isNaN(data2)){
validate194.errors = [{instancePath:instancePath+"/compensation_window_ms",schemaPath:"#/properties/compensation_window_ms/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.requires_approval !== undefined){
const _errs7 = errors;
if(typeof data.requires_approval !== "boolean"){
validate194.errors = [{instancePath:instancePath+"/requires_approval",schemaPath:"#/properties/requires_approval/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate194.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate194.errors = vErrors;
return errors === 0;
}
validate194.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate190(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/transaction_plan.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate190.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((((((((data.plan_id === undefined) && (missing0 = "plan_id")) || ((data.transaction_id === undefined) && (missing0 = "transaction_id"))) || ((data.action_id === undefined) && (missing0 = "action_id"))) || ((data.capability_id === undefined) && (missing0 = "capability_id"))) || ((data.transaction === undefined) && (missing0 = "transaction"))) || ((data.planned_by === undefined) && (missing0 = "planned_by"))) || ((data.input_hash === undefined) && (missing0 = "input_hash"))) || ((data.approval_required === undefined) && (missing0 = "approval_required"))) || ((data.created_at === undefined) && (missing0 = "created_at"))){
validate190.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema84.properties, key0))){
validate190.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.plan_id !== undefined){
const _errs2 = errors;
if(typeof data.plan_id !== "string"){
validate190.errors = [{instancePath:instancePath+"/plan_id",schemaPath:"#/properties/plan_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.transaction_id !== undefined){
const _errs4 = errors;
if(typeof data.transaction_id !== "string"){
validate190.errors = [{instancePath:instancePath+"/transaction_id",schemaPath:"#/properties/transaction_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.action_id !== undefined){
const _errs6 = errors;
if(typeof data.action_id !== "string"){
validate190.errors = [{instancePath:instancePath+"/action_id",schemaPath:"#/properties/action_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.capability_id !== undefined){
const _errs8 = errors;
if(typeof data.capability_id !== "string"){
validate190.errors = [{instancePath:instancePath+"/capability_id",schemaPath:"#/properties/capability_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.transaction !== undefined){
const _errs10 = errors;
if(!(validate98(data.transaction, {instancePath:instancePath+"/transaction",parentData:data,parentDataProperty:"transaction",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate98.errors : vErrors.concat(validate98.errors);
errors = vErrors.length;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.planned_by !== undefined){
const _errs11 = errors;
if(!(validate57(data.planned_by, {instancePath:instancePath+"/planned_by",parentData:data,parentDataProperty:"planned_by",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.input_hash !== undefined){
const _errs12 = errors;
if(typeof data.input_hash !== "string"){
validate190.errors = [{instancePath:instancePath+"/input_hash",schemaPath:"#/properties/input_hash/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.predicted_side_effects !== undefined){
let data7 = data.predicted_side_effects;
const _errs14 = errors;
if(errors === _errs14){
if(Array.isArray(data7)){
var valid1 = true;
const len0 = data7.length;
for(let i0=0; i0<len0; i0++){
let data8 = data7[i0];
const _errs16 = errors;
if(!((((((((((data8 === "read") || (data8 === "write")) || (data8 === "delete")) || (data8 === "send_message")) || (data8 === "financial")) || (data8 === "identity")) || (data8 === "medical")) || (data8 === "legal")) || (data8 === "external_network")) || (data8 === "code_execution"))){
validate190.errors = [{instancePath:instancePath+"/predicted_side_effects/" + i0,schemaPath:"#/properties/predicted_side_effects/items/enum",keyword:"enum",params:{allowedValues: schema84.properties.predicted_side_effects.items.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid1 = _errs16 === errors;
if(!valid1){
break;
}
}
}
else {
validate190.errors = [{instancePath:instancePath+"/predicted_side_effects",schemaPath:"#/properties/predicted_side_effects/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.approval_required !== undefined){
const _errs17 = errors;
if(typeof data.approval_required !== "boolean"){
validate190.errors = [{instancePath:instancePath+"/approval_required",schemaPath:"#/properties/approval_required/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.approval_policy !== undefined){
let data10 = data.approval_policy;
const _errs19 = errors;
const _errs20 = errors;
let valid2 = false;
const _errs21 = errors;
if(!(validate159(data10, {instancePath:instancePath+"/approval_policy",parentData:data,parentDataProperty:"approval_policy",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate159.errors : vErrors.concat(validate159.errors);
errors = vErrors.length;
}
var _valid0 = _errs21 === errors;
valid2 = valid2 || _valid0;
const _errs22 = errors;
if(data10 !== null){
const err0 = {instancePath:instancePath+"/approval_policy",schemaPath:"#/properties/approval_policy/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs22 === errors;
valid2 = valid2 || _valid0;
if(!valid2){
const err1 = {instancePath:instancePath+"/approval_policy",schemaPath:"#/properties/approval_policy/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate190.errors = vErrors;
return false;
}
else {
errors = _errs20;
if(vErrors !== null){
if(_errs20){
vErrors.length = _errs20;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs19 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.compensation !== undefined){
let data11 = data.compensation;
const _errs24 = errors;
const _errs25 = errors;
let valid3 = false;
const _errs26 = errors;
if(!(validate194(data11, {instancePath:instancePath+"/compensation",parentData:data,parentDataProperty:"compensation",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate194.errors : vErrors.concat(validate194.errors);
errors = vErrors.length;
}
var _valid1 = _errs26 === errors;
valid3 = valid3 || _valid1;
const _errs27 = errors;
if(data11 !== null){
const err2 = {instancePath:instancePath+"/compensation",schemaPath:"#/properties/compensation/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
var _valid1 = _errs27 === errors;
valid3 = valid3 || _valid1;
if(!valid3){
const err3 = {instancePath:instancePath+"/compensation",schemaPath:"#/properties/compensation/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
validate190.errors = vErrors;
return false;
}
else {
errors = _errs25;
if(vErrors !== null){
if(_errs25){
vErrors.length = _errs25;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs24 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.dry_run_fidelity !== undefined){
let data12 = data.dry_run_fidelity;
const _errs29 = errors;
if(!(((((data12 === "schema_only") || (data12 === "policy_and_schema")) || (data12 === "downstream_validation")) || (data12 === "full_simulation")) || (data12 === null))){
validate190.errors = [{instancePath:instancePath+"/dry_run_fidelity",schemaPath:"#/properties/dry_run_fidelity/enum",keyword:"enum",params:{allowedValues: schema84.properties.dry_run_fidelity.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs29 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.identity !== undefined){
let data13 = data.identity;
const _errs30 = errors;
const _errs31 = errors;
let valid4 = false;
const _errs32 = errors;
if(!(validate76(data13, {instancePath:instancePath+"/identity",parentData:data,parentDataProperty:"identity",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate76.errors : vErrors.concat(validate76.errors);
errors = vErrors.length;
}
var _valid2 = _errs32 === errors;
valid4 = valid4 || _valid2;
const _errs33 = errors;
if(data13 !== null){
const err4 = {instancePath:instancePath+"/identity",schemaPath:"#/properties/identity/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
var _valid2 = _errs33 === errors;
valid4 = valid4 || _valid2;
if(!valid4){
const err5 = {instancePath:instancePath+"/identity",schemaPath:"#/properties/identity/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
validate190.errors = vErrors;
return false;
}
else {
errors = _errs31;
if(vErrors !== null){
if(_errs31){
vErrors.length = _errs31;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs30 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.created_at !== undefined){
const _errs35 = errors;
if(typeof data.created_at !== "string"){
validate190.errors = [{instancePath:instancePath+"/created_at",schemaPath:"#/properties/created_at/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs35 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.expires_at !== undefined){
let data15 = data.expires_at;
const _errs37 = errors;
if((typeof data15 !== "string") && (data15 !== null)){
validate190.errors = [{instancePath:instancePath+"/expires_at",schemaPath:"#/properties/expires_at/type",keyword:"type",params:{type: schema84.properties.expires_at.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs37 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate190.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate190.errors = vErrors;
return errors === 0;
}
validate190.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const TransactionQueryRequest = validate197;
const schema86 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/transaction_query_request.schema.json","title":"TransactionQueryRequest","description":"Asks for a transaction by one of its ids.","type":"object","required":[],"properties":{"transaction_id":{"type":["string","null"]},"plan_id":{"type":["string","null"]},"action_id":{"type":["string","null"]},"tenant_id":{"type":["string","null"]},"include_result":{"type":"boolean","default":false},"include_receipts":{"type":"boolean","default":false}},"additionalProperties":false};

function validate197(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/transaction_query_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate197.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((((((key0 === "transaction_id") || (key0 === "plan_id")) || (key0 === "action_id")) || (key0 === "tenant_id")) || (key0 === "include_result")) || (key0 === "include_receipts"))){
validate197.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.transaction_id !== undefined){
let data0 = data.transaction_id;
const _errs2 = errors;
if((typeof data0 !== "string") && (data0 !== null)){
validate197.errors = [{instancePath:instancePath+"/transaction_id",schemaPath:"#/properties/transaction_id/type",keyword:"type",params:{type: schema86.properties.transaction_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.plan_id !== undefined){
let data1 = data.plan_id;
const _errs4 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate197.errors = [{instancePath:instancePath+"/plan_id",schemaPath:"#/properties/plan_id/type",keyword:"type",params:{type: schema86.properties.plan_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.action_id !== undefined){
let data2 = data.action_id;
const _errs6 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate197.errors = [{instancePath:instancePath+"/action_id",schemaPath:"#/properties/action_id/type",keyword:"type",params:{type: schema86.properties.action_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tenant_id !== undefined){
let data3 = data.tenant_id;
const _errs8 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate197.errors = [{instancePath:instancePath+"/tenant_id",schemaPath:"#/properties/tenant_id/type",keyword:"type",params:{type: schema86.properties.tenant_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include_result !== undefined){
const _errs10 = errors;
if(typeof data.include_result !== "boolean"){
validate197.errors = [{instancePath:instancePath+"/include_result",schemaPath:"#/properties/include_result/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include_receipts !== undefined){
const _errs12 = errors;
if(typeof data.include_receipts !== "boolean"){
validate197.errors = [{instancePath:instancePath+"/include_receipts",schemaPath:"#/properties/include_receipts/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
else {
validate197.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate197.errors = vErrors;
return errors === 0;
}
validate197.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const TransactionRequest = validate198;
const schema87 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/transaction_request.schema.json","title":"TransactionRequest","description":"Asks for a step of a transaction.","type":"object","required":["transaction_id","action","requested_by"],"properties":{"transaction_id":{"type":"string"},"action":{"$ref":"action.schema.json"},"requested_by":{"$ref":"principal.schema.json"},"reason":{"type":["string","null"]},"metadata":{},"provider_operation":{"anyOf":[{"$ref":"provider_operation_ref.schema.json"},{"type":"null"}]},"reconciliation_cursor":{"type":["string","null"]}},"additionalProperties":false};

function validate198(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/transaction_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate198.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.transaction_id === undefined) && (missing0 = "transaction_id")) || ((data.action === undefined) && (missing0 = "action"))) || ((data.requested_by === undefined) && (missing0 = "requested_by"))){
validate198.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((((key0 === "transaction_id") || (key0 === "action")) || (key0 === "requested_by")) || (key0 === "reason")) || (key0 === "metadata")) || (key0 === "provider_operation")) || (key0 === "reconciliation_cursor"))){
validate198.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.transaction_id !== undefined){
const _errs2 = errors;
if(typeof data.transaction_id !== "string"){
validate198.errors = [{instancePath:instancePath+"/transaction_id",schemaPath:"#/properties/transaction_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.action !== undefined){
const _errs4 = errors;
if(!(validate53(data.action, {instancePath:instancePath+"/action",parentData:data,parentDataProperty:"action",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate53.errors : vErrors.concat(validate53.errors);
errors = vErrors.length;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.requested_by !== undefined){
const _errs5 = errors;
if(!(validate57(data.requested_by, {instancePath:instancePath+"/requested_by",parentData:data,parentDataProperty:"requested_by",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.reason !== undefined){
let data3 = data.reason;
const _errs6 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate198.errors = [{instancePath:instancePath+"/reason",schemaPath:"#/properties/reason/type",keyword:"type",params:{type: schema87.properties.reason.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.provider_operation !== undefined){
let data4 = data.provider_operation;
const _errs8 = errors;
const _errs9 = errors;
let valid1 = false;
const _errs10 = errors;
if(!(validate189(data4, {instancePath:instancePath+"/provider_operation",parentData:data,parentDataProperty:"provider_operation",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate189.errors : vErrors.concat(validate189.errors);
errors = vErrors.length;
}
var _valid0 = _errs10 === errors;
valid1 = valid1 || _valid0;
const _errs11 = errors;
if(data4 !== null){
const err0 = {instancePath:instancePath+"/provider_operation",schemaPath:"#/properties/provider_operation/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs11 === errors;
valid1 = valid1 || _valid0;
if(!valid1){
const err1 = {instancePath:instancePath+"/provider_operation",schemaPath:"#/properties/provider_operation/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate198.errors = vErrors;
return false;
}
else {
errors = _errs9;
if(vErrors !== null){
if(_errs9){
vErrors.length = _errs9;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.reconciliation_cursor !== undefined){
let data5 = data.reconciliation_cursor;
const _errs13 = errors;
if((typeof data5 !== "string") && (data5 !== null)){
validate198.errors = [{instancePath:instancePath+"/reconciliation_cursor",schemaPath:"#/properties/reconciliation_cursor/type",keyword:"type",params:{type: schema87.properties.reconciliation_cursor.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
else {
validate198.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate198.errors = vErrors;
return errors === 0;
}
validate198.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const TransactionResult = validate202;
const schema88 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/transaction_result.schema.json","title":"TransactionResult","description":"Outcome of a step of a transaction.","type":"object","required":["transaction_id","action_id","capability_id","transaction","status"],"properties":{"transaction_id":{"type":"string"},"action_id":{"type":"string"},"capability_id":{"type":"string"},"transaction":{"$ref":"action_transaction.schema.json"},"status":{"enum":["dry_run_completed","planned","prepared","committing","committed","compensating","compensated","requires_human","cancelled","rollback_not_supported","failed","outcome_unknown","reconciling","reconciled"]},"plan":{"anyOf":[{"$ref":"transaction_plan.schema.json"},{"type":"null"}]},"result":{"anyOf":[{"$ref":"action_result.schema.json"},{"type":"null"}]},"error":{"anyOf":[{"$ref":"protocol_error.schema.json"},{"type":"null"}]},"receipt_chain":{"anyOf":[{"$ref":"receipt_chain.schema.json"},{"type":"null"}]},"provider_operation":{"anyOf":[{"$ref":"provider_operation_ref.schema.json"},{"type":"null"}]},"reconciliation_cursor":{"type":["string","null"]},"reconcile_after":{"type":["string","null"]}},"additionalProperties":false};

function validate202(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/transaction_result.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate202.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((((data.transaction_id === undefined) && (missing0 = "transaction_id")) || ((data.action_id === undefined) && (missing0 = "action_id"))) || ((data.capability_id === undefined) && (missing0 = "capability_id"))) || ((data.transaction === undefined) && (missing0 = "transaction"))) || ((data.status === undefined) && (missing0 = "status"))){
validate202.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema88.properties, key0))){
validate202.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.transaction_id !== undefined){
const _errs2 = errors;
if(typeof data.transaction_id !== "string"){
validate202.errors = [{instancePath:instancePath+"/transaction_id",schemaPath:"#/properties/transaction_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.action_id !== undefined){
const _errs4 = errors;
if(typeof data.action_id !== "string"){
validate202.errors = [{instancePath:instancePath+"/action_id",schemaPath:"#/properties/action_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.capability_id !== undefined){
const _errs6 = errors;
if(typeof data.capability_id !== "string"){
validate202.errors = [{instancePath:instancePath+"/capability_id",schemaPath:"#/properties/capability_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.transaction !== undefined){
const _errs8 = errors;
if(!(validate98(data.transaction, {instancePath:instancePath+"/transaction",parentData:data,parentDataProperty:"transaction",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate98.errors : vErrors.concat(validate98.errors);
errors = vErrors.length;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.status !== undefined){
let data4 = data.status;
const _errs9 = errors;
if(!((((((((((((((data4 === "dry_run_completed") || (data4 === "planned")) || (data4 === "prepared")) || (data4 === "committing")) || (data4 === "committed")) || (data4 === "compensating")) || (data4 === "compensated")) || (data4 === "requires_human")) || (data4 === "cancelled")) || (data4 === "rollback_not_supported")) || (data4 === "failed")) || (data4 === "outcome_unknown")) || (data4 === "reconciling")) || (data4 === "reconciled"))){
validate202.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/enum",keyword:"enum",params:{allowedValues: schema88.properties.status.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.plan !== undefined){
let data5 = data.plan;
const _errs10 = errors;
const _errs11 = errors;
let valid1 = false;
const _errs12 = errors;
if(!(validate190(data5, {instancePath:instancePath+"/plan",parentData:data,parentDataProperty:"plan",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate190.errors : vErrors.concat(validate190.errors);
errors = vErrors.length;
}
var _valid0 = _errs12 === errors;
valid1 = valid1 || _valid0;
const _errs13 = errors;
if(data5 !== null){
const err0 = {instancePath:instancePath+"/plan",schemaPath:"#/properties/plan/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs13 === errors;
valid1 = valid1 || _valid0;
if(!valid1){
const err1 = {instancePath:instancePath+"/plan",schemaPath:"#/properties/plan/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate202.errors = vErrors;
return false;
}
else {
errors = _errs11;
if(vErrors !== null){
if(_errs11){
vErrors.length = _errs11;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.result !== undefined){
let data6 = data.result;
const _errs15 = errors;
const _errs16 = errors;
let valid2 = false;
const _errs17 = errors;
if(!(validate100(data6, {instancePath:instancePath+"/result",parentData:data,parentDataProperty:"result",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate100.errors : vErrors.concat(validate100.errors);
errors = vErrors.length;
}
var _valid1 = _errs17 === errors;
valid2 = valid2 || _valid1;
const _errs18 = errors;
if(data6 !== null){
const err2 = {instancePath:instancePath+"/result",schemaPath:"#/properties/result/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
var _valid1 = _errs18 === errors;
valid2 = valid2 || _valid1;
if(!valid2){
const err3 = {instancePath:instancePath+"/result",schemaPath:"#/properties/result/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
validate202.errors = vErrors;
return false;
}
else {
errors = _errs16;
if(vErrors !== null){
if(_errs16){
vErrors.length = _errs16;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.error !== undefined){
let data7 = data.error;
const _errs20 = errors;
const _errs21 = errors;
let valid3 = false;
const _errs22 = errors;
if(!(validate107(data7, {instancePath:instancePath+"/error",parentData:data,parentDataProperty:"error",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate107.errors : vErrors.concat(validate107.errors);
errors = vErrors.length;
}
var _valid2 = _errs22 === errors;
valid3 = valid3 || _valid2;
const _errs23 = errors;
if(data7 !== null){
const err4 = {instancePath:instancePath+"/error",schemaPath:"#/properties/error/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
var _valid2 = _errs23 === errors;
valid3 = valid3 || _valid2;
if(!valid3){
const err5 = {instancePath:instancePath+"/error",schemaPath:"#/properties/error/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
validate202.errors = vErrors;
return false;
}
else {
errors = _errs21;
if(vErrors !== null){
if(_errs21){
vErrors.length = _errs21;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs20 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.receipt_chain !== undefined){
let data8 = data.receipt_chain;
const _errs25 = errors;
const _errs26 = errors;
let valid4 = false;
const _errs27 = errors;
if(!(validate137(data8, {instancePath:instancePath+"/receipt_chain",parentData:data,parentDataProperty:"receipt_chain",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate137.errors : vErrors.concat(validate137.errors);
errors = vErrors.length;
}
var _valid3 = _errs27 === errors;
valid4 = valid4 || _valid3;
const _errs28 = errors;
if(data8 !== null){
const err6 = {instancePath:instancePath+"/receipt_chain",schemaPath:"#/properties/receipt_chain/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
var _valid3 = _errs28 === errors;
valid4 = valid4 || _valid3;
if(!valid4){
const err7 = {instancePath:instancePath+"/receipt_chain",schemaPath:"#/properties/receipt_chain/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
validate202.errors = vErrors;
return false;
}
else {
errors = _errs26;
if(vErrors !== null){
if(_errs26){
vErrors.length = _errs26;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs25 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.provider_operation !== undefined){
let data9 = data.provider_operation;
const _errs30 = errors;
const _errs31 = errors;
let valid5 = false;
const _errs32 = errors;
if(!(validate189(data9, {instancePath:instancePath+"/provider_operation",parentData:data,parentDataProperty:"provider_operation",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate189.errors : vErrors.concat(validate189.errors);
errors = vErrors.length;
}
var _valid4 = _errs32 === errors;
valid5 = valid5 || _valid4;
const _errs33 = errors;
if(data9 !== null){
const err8 = {instancePath:instancePath+"/provider_operation",schemaPath:"#/properties/provider_operation/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
var _valid4 = _errs33 === errors;
valid5 = valid5 || _valid4;
if(!valid5){
const err9 = {instancePath:instancePath+"/provider_operation",schemaPath:"#/properties/provider_operation/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
validate202.errors = vErrors;
return false;
}
else {
errors = _errs31;
if(vErrors !== null){
if(_errs31){
vErrors.length = _errs31;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs30 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.reconciliation_cursor !== undefined){
let data10 = data.reconciliation_cursor;
const _errs35 = errors;
if((typeof data10 !== "string") && (data10 !== null)){
validate202.errors = [{instancePath:instancePath+"/reconciliation_cursor",schemaPath:"#/properties/reconciliation_cursor/type",keyword:"type",params:{type: schema88.properties.reconciliation_cursor.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs35 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.reconcile_after !== undefined){
let data11 = data.reconcile_after;
const _errs37 = errors;
if((typeof data11 !== "string") && (data11 !== null)){
validate202.errors = [{instancePath:instancePath+"/reconcile_after",schemaPath:"#/properties/reconcile_after/type",keyword:"type",params:{type: schema88.properties.reconcile_after.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs37 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate202.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate202.errors = vErrors;
return errors === 0;
}
validate202.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const TransactionView = validate209;
const schema89 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/transaction_view.schema.json","title":"TransactionView","description":"The view of a transaction.","type":"object","required":["transaction_id","action_id","capability_id","transaction","status","created_at","updated_at"],"properties":{"transaction_id":{"type":"string"},"action_id":{"type":"string"},"capability_id":{"type":"string"},"transaction":{"$ref":"action_transaction.schema.json"},"status":{"type":"string"},"plan":{"anyOf":[{"$ref":"transaction_plan.schema.json"},{"type":"null"}]},"result":{"anyOf":[{"$ref":"action_result.schema.json"},{"type":"null"}]},"receipt_chain":{"anyOf":[{"$ref":"receipt_chain.schema.json"},{"type":"null"}]},"created_at":{"type":"string"},"updated_at":{"type":"string"}},"additionalProperties":false};

function validate209(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/transaction_view.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate209.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((((((data.transaction_id === undefined) && (missing0 = "transaction_id")) || ((data.action_id === undefined) && (missing0 = "action_id"))) || ((data.capability_id === undefined) && (missing0 = "capability_id"))) || ((data.transaction === undefined) && (missing0 = "transaction"))) || ((data.status === undefined) && (missing0 = "status"))) || ((data.created_at === undefined) && (missing0 = "created_at"))) || ((data.updated_at === undefined) && (missing0 = "updated_at"))){
validate209.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema89.properties, key0))){
validate209.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.transaction_id !== undefined){
const _errs2 = errors;
if(typeof data.transaction_id !== "string"){
validate209.errors = [{instancePath:instancePath+"/transaction_id",schemaPath:"#/properties/transaction_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.action_id !== undefined){
const _errs4 = errors;
if(typeof data.action_id !== "string"){
validate209.errors = [{instancePath:instancePath+"/action_id",schemaPath:"#/properties/action_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.capability_id !== undefined){
const _errs6 = errors;
if(typeof data.capability_id !== "string"){
validate209.errors = [{instancePath:instancePath+"/capability_id",schemaPath:"#/properties/capability_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.transaction !== undefined){
const _errs8 = errors;
if(!(validate98(data.transaction, {instancePath:instancePath+"/transaction",parentData:data,parentDataProperty:"transaction",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate98.errors : vErrors.concat(validate98.errors);
errors = vErrors.length;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.status !== undefined){
const _errs9 = errors;
if(typeof data.status !== "string"){
validate209.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.plan !== undefined){
let data5 = data.plan;
const _errs11 = errors;
const _errs12 = errors;
let valid1 = false;
const _errs13 = errors;
if(!(validate190(data5, {instancePath:instancePath+"/plan",parentData:data,parentDataProperty:"plan",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate190.errors : vErrors.concat(validate190.errors);
errors = vErrors.length;
}
var _valid0 = _errs13 === errors;
valid1 = valid1 || _valid0;
const _errs14 = errors;
if(data5 !== null){
const err0 = {instancePath:instancePath+"/plan",schemaPath:"#/properties/plan/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs14 === errors;
valid1 = valid1 || _valid0;
if(!valid1){
const err1 = {instancePath:instancePath+"/plan",schemaPath:"#/properties/plan/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate209.errors = vErrors;
return false;
}
else {
errors = _errs12;
if(vErrors !== null){
if(_errs12){
vErrors.length = _errs12;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.result !== undefined){
let data6 = data.result;
const _errs16 = errors;
const _errs17 = errors;
let valid2 = false;
const _errs18 = errors;
if(!(validate100(data6, {instancePath:instancePath+"/result",parentData:data,parentDataProperty:"result",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate100.errors : vErrors.concat(validate100.errors);
errors = vErrors.length;
}
var _valid1 = _errs18 === errors;
valid2 = valid2 || _valid1;
const _errs19 = errors;
if(data6 !== null){
const err2 = {instancePath:instancePath+"/result",schemaPath:"#/properties/result/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
var _valid1 = _errs19 === errors;
valid2 = valid2 || _valid1;
if(!valid2){
const err3 = {instancePath:instancePath+"/result",schemaPath:"#/properties/result/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
validate209.errors = vErrors;
return false;
}
else {
errors = _errs17;
if(vErrors !== null){
if(_errs17){
vErrors.length = _errs17;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs16 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.receipt_chain !== undefined){
let data7 = data.receipt_chain;
const _errs21 = errors;
const _errs22 = errors;
let valid3 = false;
const _errs23 = errors;
if(!(validate137(data7, {instancePath:instancePath+"/receipt_chain",parentData:data,parentDataProperty:"receipt_chain",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate137.errors : vErrors.concat(validate137.errors);
errors = vErrors.length;
}
var _valid2 = _errs23 === errors;
valid3 = valid3 || _valid2;
const _errs24 = errors;
if(data7 !== null){
const err4 = {instancePath:instancePath+"/receipt_chain",schemaPath:"#/properties/receipt_chain/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
var _valid2 = _errs24 === errors;
valid3 = valid3 || _valid2;
if(!valid3){
const err5 = {instancePath:instancePath+"/receipt_chain",schemaPath:"#/properties/receipt_chain/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
validate209.errors = vErrors;
return false;
}
else {
errors = _errs22;
if(vErrors !== null){
if(_errs22){
vErrors.length = _errs22;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs21 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.created_at !== undefined){
const _errs26 = errors;
if(typeof data.created_at !== "string"){
validate209.errors = [{instancePath:instancePath+"/created_at",schemaPath:"#/properties/created_at/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs26 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.updated_at !== undefined){
const _errs28 = errors;
if(typeof data.updated_at !== "string"){
validate209.errors = [{instancePath:instancePath+"/updated_at",schemaPath:"#/properties/updated_at/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs28 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate209.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate209.errors = vErrors;
return errors === 0;
}
validate209.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const CallbackDeliveryAttempt = validate214;
const schema90 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/callback_delivery_attempt.schema.json","title":"CallbackDeliveryAttempt","description":"One attempt, counted from 1.","type":"object","required":["attempt","started_at"],"properties":{"attempt":{"type":"integer","minimum":0},"started_at":{"type":"string"},"finished_at":{"type":["string","null"]},"error":{"type":["string","null"]}},"additionalProperties":false};

function validate214(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/callback_delivery_attempt.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate214.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.attempt === undefined) && (missing0 = "attempt")) || ((data.started_at === undefined) && (missing0 = "started_at"))){
validate214.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "attempt") || (key0 === "started_at")) || (key0 === "finished_at")) || (key0 === "error"))){
validate214.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.attempt !== undefined){
let data0 = data.attempt;
const _errs2 = errors;
if(!(((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0))) && (isFinite(data0)))){
validate214.errors = [{instancePath:instancePath+"/attempt",schemaPath:"#/properties/attempt/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs2){
if((typeof data0 == "number") && (isFinite(data0))){
if(data0 < 0 || isNaN(data0)){
validate214.errors = [{instancePath:instancePath+"/attempt",schemaPath:"#/properties/attempt/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.started_at !== undefined){
const _errs4 = errors;
if(typeof data.started_at !== "string"){
validate214.errors = [{instancePath:instancePath+"/started_at",schemaPath:"#/properties/started_at/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.finished_at !== undefined){
let data2 = data.finished_at;
const _errs6 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate214.errors = [{instancePath:instancePath+"/finished_at",schemaPath:"#/properties/finished_at/type",keyword:"type",params:{type: schema90.properties.finished_at.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.error !== undefined){
let data3 = data.error;
const _errs8 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate214.errors = [{instancePath:instancePath+"/error",schemaPath:"#/properties/error/type",keyword:"type",params:{type: schema90.properties.error.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate214.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate214.errors = vErrors;
return errors === 0;
}
validate214.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const CallbackDeliveryList = validate215;
const schema91 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/callback_delivery_list.schema.json","title":"CallbackDeliveryList","description":"A page of deliveries.","type":"object","required":["deliveries"],"properties":{"deliveries":{"type":"array","items":{"$ref":"callback_delivery_record.schema.json"}},"cursor":{"type":["string","null"]}},"additionalProperties":false};
const schema92 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/callback_delivery_record.schema.json","title":"CallbackDeliveryRecord","description":"The view of a callback delivery.","type":"object","required":["delivery_id","policy","message_id","message_type","status","created_at","updated_at"],"properties":{"delivery_id":{"type":"string"},"policy":{"$ref":"callback_delivery_policy.schema.json"},"message_id":{"type":"string"},"message_type":{"type":"string"},"action_id":{"type":["string","null"]},"session_id":{"type":["string","null"]},"correlation_id":{"type":["string","null"]},"tenant_id":{"type":["string","null"]},"status":{"enum":["pending","running","delivered","failed","dead_lettered"]},"attempts":{"type":"array","items":{"$ref":"callback_delivery_attempt.schema.json"}},"next_attempt_at":{"type":["string","null"]},"leased_by":{"type":["string","null"]},"lease_expires_at":{"type":["string","null"]},"last_error":{"type":["string","null"]},"dead_letter_reason":{"type":["string","null"]},"receipt_chain":{"anyOf":[{"$ref":"receipt_chain.schema.json"},{"type":"null"}]},"created_at":{"type":"string"},"updated_at":{"type":"string"},"completed_at":{"type":["string","null"]}},"additionalProperties":false};
const schema93 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/callback_delivery_policy.schema.json","title":"CallbackDeliveryPolicy","description":"How a callback is delivered.","type":"object","required":["delivery_id","target","max_attempts","timeout_ms","idempotency_key","sign_payload","terminal_only"],"properties":{"delivery_id":{"type":"string"},"target":{"$ref":"callback.schema.json"},"max_attempts":{"type":"integer","minimum":0},"timeout_ms":{"type":"integer","minimum":0},"retry_backoff_ms":{"type":"array","items":{"type":"integer","minimum":0}},"idempotency_key":{"type":"string"},"sign_payload":{"type":"boolean"},"terminal_only":{"type":"boolean"}},"additionalProperties":false};

function validate217(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/callback_delivery_policy.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate217.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((((((data.delivery_id === undefined) && (missing0 = "delivery_id")) || ((data.target === undefined) && (missing0 = "target"))) || ((data.max_attempts === undefined) && (missing0 = "max_attempts"))) || ((data.timeout_ms === undefined) && (missing0 = "timeout_ms"))) || ((data.idempotency_key === undefined) && (missing0 = "idempotency_key"))) || ((data.sign_payload === undefined) && (missing0 = "sign_payload"))) || ((data.terminal_only === undefined) && (missing0 = "terminal_only"))){
validate217.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((((((key0 === "delivery_id") || (key0 === "target")) || (key0 === "max_attempts")) || (key0 === "timeout_ms")) || (key0 === "retry_backoff_ms")) || (key0 === "idempotency_key")) || (key0 === "sign_payload")) || (key0 === "terminal_only"))){
validate217.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.delivery_id !== undefined){
const _errs2 = errors;
if(typeof data.delivery_id !== "string"){
validate217.errors = [{instancePath:instancePath+"/delivery_id",schemaPath:"#/properties/delivery_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.target !== undefined){
const _errs4 = errors;
if(!(validate70(data.target, {instancePath:instancePath+"/target",parentData:data,parentDataProperty:"target",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate70.errors : vErrors.concat(validate70.errors);
errors = vErrors.length;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.max_attempts !== undefined){
let data2 = data.max_attempts;
const _errs5 = errors;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
validate217.errors = [{instancePath:instancePath+"/max_attempts",schemaPath:"#/properties/max_attempts/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs5){
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 < 0 || isNaN(data2)){
validate217.errors = [{instancePath:instancePath+"/max_attempts",schemaPath:"#/properties/max_attempts/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.timeout_ms !== undefined){
let data3 = data.timeout_ms;
const _errs7 = errors;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
validate217.errors = [{instancePath:instancePath+"/timeout_ms",schemaPath:"#/properties/timeout_ms/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs7){
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 < 0 || isNaN(data3)){
validate217.errors = [{instancePath:instancePath+"/timeout_ms",schemaPath:"#/properties/timeout_ms/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.retry_backoff_ms !== undefined){
let data4 = data.retry_backoff_ms;
const _errs9 = errors;
if(errors === _errs9){
if(Array.isArray(data4)){
var valid1 = true;
const len0 = data4.length;
for(let i0=0; i0<len0; i0++){
let data5 = data4[i0];
const _errs11 = errors;
if(!(((typeof data5 == "number") && (!(data5 % 1) && !isNaN(data5))) && (isFinite(data5)))){
validate217.errors = [{instancePath:instancePath+"/retry_backoff_ms/" + i0,schemaPath:"#/properties/retry_backoff_ms/items/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs11){
if((typeof data5 == "number") && (isFinite(data5))){
if(data5 < 0 || isNaN(data5)){
validate217.errors = [{instancePath:instancePath+"/retry_backoff_ms/" + i0,schemaPath:"#/properties/retry_backoff_ms/items/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid1 = _errs11 === errors;
if(!valid1){
break;
}
}
}
else {
validate217.errors = [{instancePath:instancePath+"/retry_backoff_ms",schemaPath:"#/properties/retry_backoff_ms/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.idempotency_key !== undefined){
const _errs13 = errors;
if(typeof data.idempotency_key !== "string"){
validate217.errors = [{instancePath:instancePath+"/idempotency_key",schemaPath:"#/properties/idempotency_key/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.sign_payload !== undefined){
const _errs15 = errors;
if(typeof data.sign_payload !== "boolean"){
validate217.errors = [{instancePath:instancePath+"/sign_payload",schemaPath:"#/properties/sign_payload/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.terminal_only !== undefined){
const _errs17 = errors;
if(typeof data.terminal_only !== "boolean"){
validate217.errors = [{instancePath:instancePath+"/terminal_only",schemaPath:"#/properties/terminal_only/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
else {
validate217.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate217.errors = vErrors;
return errors === 0;
}
validate217.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate216(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/callback_delivery_record.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate216.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((((((data.delivery_id === undefined) && (missing0 = "delivery_id")) || ((data.policy === undefined) && (missing0 = "policy"))) || ((data.message_id === undefined) && (missing0 = "message_id"))) || ((data.message_type === undefined) && (missing0 = "message_type"))) || ((data.status === undefined) && (missing0 = "status"))) || ((data.created_at === undefined) && (missing0 = "created_at"))) || ((data.updated_at === undefined) && (missing0 = "updated_at"))){
validate216.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema92.properties, key0))){
validate216.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.delivery_id !== undefined){
const _errs2 = errors;
if(typeof data.delivery_id !== "string"){
validate216.errors = [{instancePath:instancePath+"/delivery_id",schemaPath:"#/properties/delivery_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.policy !== undefined){
const _errs4 = errors;
if(!(validate217(data.policy, {instancePath:instancePath+"/policy",parentData:data,parentDataProperty:"policy",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate217.errors : vErrors.concat(validate217.errors);
errors = vErrors.length;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.message_id !== undefined){
const _errs5 = errors;
if(typeof data.message_id !== "string"){
validate216.errors = [{instancePath:instancePath+"/message_id",schemaPath:"#/properties/message_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.message_type !== undefined){
const _errs7 = errors;
if(typeof data.message_type !== "string"){
validate216.errors = [{instancePath:instancePath+"/message_type",schemaPath:"#/properties/message_type/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.action_id !== undefined){
let data4 = data.action_id;
const _errs9 = errors;
if((typeof data4 !== "string") && (data4 !== null)){
validate216.errors = [{instancePath:instancePath+"/action_id",schemaPath:"#/properties/action_id/type",keyword:"type",params:{type: schema92.properties.action_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.session_id !== undefined){
let data5 = data.session_id;
const _errs11 = errors;
if((typeof data5 !== "string") && (data5 !== null)){
validate216.errors = [{instancePath:instancePath+"/session_id",schemaPath:"#/properties/session_id/type",keyword:"type",params:{type: schema92.properties.session_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.correlation_id !== undefined){
let data6 = data.correlation_id;
const _errs13 = errors;
if((typeof data6 !== "string") && (data6 !== null)){
validate216.errors = [{instancePath:instancePath+"/correlation_id",schemaPath:"#/properties/correlation_id/type",keyword:"type",params:{type: schema92.properties.correlation_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tenant_id !== undefined){
let data7 = data.tenant_id;
const _errs15 = errors;
if((typeof data7 !== "string") && (data7 !== null)){
validate216.errors = [{instancePath:instancePath+"/tenant_id",schemaPath:"#/properties/tenant_id/type",keyword:"type",params:{type: schema92.properties.tenant_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.status !== undefined){
let data8 = data.status;
const _errs17 = errors;
if(!(((((data8 === "pending") || (data8 === "running")) || (data8 === "delivered")) || (data8 === "failed")) || (data8 === "dead_lettered"))){
validate216.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/enum",keyword:"enum",params:{allowedValues: schema92.properties.status.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.attempts !== undefined){
let data9 = data.attempts;
const _errs18 = errors;
if(errors === _errs18){
if(Array.isArray(data9)){
var valid1 = true;
const len0 = data9.length;
for(let i0=0; i0<len0; i0++){
const _errs20 = errors;
if(!(validate214(data9[i0], {instancePath:instancePath+"/attempts/" + i0,parentData:data9,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate214.errors : vErrors.concat(validate214.errors);
errors = vErrors.length;
}
var valid1 = _errs20 === errors;
if(!valid1){
break;
}
}
}
else {
validate216.errors = [{instancePath:instancePath+"/attempts",schemaPath:"#/properties/attempts/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs18 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.next_attempt_at !== undefined){
let data11 = data.next_attempt_at;
const _errs21 = errors;
if((typeof data11 !== "string") && (data11 !== null)){
validate216.errors = [{instancePath:instancePath+"/next_attempt_at",schemaPath:"#/properties/next_attempt_at/type",keyword:"type",params:{type: schema92.properties.next_attempt_at.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs21 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.leased_by !== undefined){
let data12 = data.leased_by;
const _errs23 = errors;
if((typeof data12 !== "string") && (data12 !== null)){
validate216.errors = [{instancePath:instancePath+"/leased_by",schemaPath:"#/properties/leased_by/type",keyword:"type",params:{type: schema92.properties.leased_by.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs23 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.lease_expires_at !== undefined){
let data13 = data.lease_expires_at;
const _errs25 = errors;
if((typeof data13 !== "string") && (data13 !== null)){
validate216.errors = [{instancePath:instancePath+"/lease_expires_at",schemaPath:"#/properties/lease_expires_at/type",keyword:"type",params:{type: schema92.properties.lease_expires_at.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs25 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.last_error !== undefined){
let data14 = data.last_error;
const _errs27 = errors;
if((typeof data14 !== "string") && (data14 !== null)){
validate216.errors = [{instancePath:instancePath+"/last_error",schemaPath:"#/properties/last_error/type",keyword:"type",params:{type: schema92.properties.last_error.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs27 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.dead_letter_reason !== undefined){
let data15 = data.dead_letter_reason;
const _errs29 = errors;
if((typeof data15 !== "string") && (data15 !== null)){
validate216.errors = [{instancePath:instancePath+"/dead_letter_reason",schemaPath:"#/properties/dead_letter_reason/type",keyword:"type",params:{type: schema92.properties.dead_letter_reason.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs29 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.receipt_chain !== undefined){
let data16 = data.receipt_chain;
const _errs31 = errors;
const _errs32 = errors;
let valid2 = false;
const _errs33 = errors;
if(!(validate137(data16, {instancePath:instancePath+"/receipt_chain",parentData:data,parentDataProperty:"receipt_chain",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate137.errors : vErrors.concat(validate137.errors);
errors = vErrors.length;
}
var _valid0 = _errs33 === errors;
valid2 = valid2 || _valid0;
const _errs34 = errors;
if(data16 !== null){
const err0 = {instancePath:instancePath+"/receipt_chain",schemaPath:"#/properties/receipt_chain/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs34 === errors;
valid2 = valid2 || _valid0;
if(!valid2){
const err1 = {instancePath:instancePath+"/receipt_chain",schemaPath:"#/properties/receipt_chain/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate216.errors = vErrors;
return false;
}
else {
errors = _errs32;
if(vErrors !== null){
if(_errs32){
vErrors.length = _errs32;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs31 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.created_at !== undefined){
const _errs36 = errors;
if(typeof data.created_at !== "string"){
validate216.errors = [{instancePath:instancePath+"/created_at",schemaPath:"#/properties/created_at/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs36 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.updated_at !== undefined){
const _errs38 = errors;
if(typeof data.updated_at !== "string"){
validate216.errors = [{instancePath:instancePath+"/updated_at",schemaPath:"#/properties/updated_at/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs38 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.completed_at !== undefined){
let data19 = data.completed_at;
const _errs40 = errors;
if((typeof data19 !== "string") && (data19 !== null)){
validate216.errors = [{instancePath:instancePath+"/completed_at",schemaPath:"#/properties/completed_at/type",keyword:"type",params:{type: schema92.properties.completed_at.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs40 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate216.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate216.errors = vErrors;
return errors === 0;
}
validate216.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate215(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/callback_delivery_list.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate215.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.deliveries === undefined) && (missing0 = "deliveries")){
validate215.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "deliveries") || (key0 === "cursor"))){
validate215.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.deliveries !== undefined){
let data0 = data.deliveries;
const _errs2 = errors;
if(errors === _errs2){
if(Array.isArray(data0)){
var valid1 = true;
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
const _errs4 = errors;
if(!(validate216(data0[i0], {instancePath:instancePath+"/deliveries/" + i0,parentData:data0,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate216.errors : vErrors.concat(validate216.errors);
errors = vErrors.length;
}
var valid1 = _errs4 === errors;
if(!valid1){
break;
}
}
}
else {
validate215.errors = [{instancePath:instancePath+"/deliveries",schemaPath:"#/properties/deliveries/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.cursor !== undefined){
let data2 = data.cursor;
const _errs5 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate215.errors = [{instancePath:instancePath+"/cursor",schemaPath:"#/properties/cursor/type",keyword:"type",params:{type: schema91.properties.cursor.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate215.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate215.errors = vErrors;
return errors === 0;
}
validate215.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const CallbackDeliveryListRequest = validate223;
const schema94 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/callback_delivery_list_request.schema.json","title":"CallbackDeliveryListRequest","description":"Asks for a page of deliveries.","type":"object","required":[],"properties":{"action_id":{"type":["string","null"]},"status":{"enum":["pending","running","delivered","failed","dead_lettered",null]},"profile":{"type":["string","null"]},"target":{"type":["string","null"]},"tenant_id":{"type":["string","null"]},"cursor":{"type":["string","null"]},"limit":{"type":["integer","null"],"minimum":0},"include_receipts":{"type":"boolean","default":false}},"additionalProperties":false};

function validate223(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/callback_delivery_list_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate223.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((((((((key0 === "action_id") || (key0 === "status")) || (key0 === "profile")) || (key0 === "target")) || (key0 === "tenant_id")) || (key0 === "cursor")) || (key0 === "limit")) || (key0 === "include_receipts"))){
validate223.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.action_id !== undefined){
let data0 = data.action_id;
const _errs2 = errors;
if((typeof data0 !== "string") && (data0 !== null)){
validate223.errors = [{instancePath:instancePath+"/action_id",schemaPath:"#/properties/action_id/type",keyword:"type",params:{type: schema94.properties.action_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.status !== undefined){
let data1 = data.status;
const _errs4 = errors;
if(!((((((data1 === "pending") || (data1 === "running")) || (data1 === "delivered")) || (data1 === "failed")) || (data1 === "dead_lettered")) || (data1 === null))){
validate223.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/enum",keyword:"enum",params:{allowedValues: schema94.properties.status.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.profile !== undefined){
let data2 = data.profile;
const _errs5 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate223.errors = [{instancePath:instancePath+"/profile",schemaPath:"#/properties/profile/type",keyword:"type",params:{type: schema94.properties.profile.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.target !== undefined){
let data3 = data.target;
const _errs7 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate223.errors = [{instancePath:instancePath+"/target",schemaPath:"#/properties/target/type",keyword:"type",params:{type: schema94.properties.target.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tenant_id !== undefined){
let data4 = data.tenant_id;
const _errs9 = errors;
if((typeof data4 !== "string") && (data4 !== null)){
validate223.errors = [{instancePath:instancePath+"/tenant_id",schemaPath:"#/properties/tenant_id/type",keyword:"type",params:{type: schema94.properties.tenant_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.cursor !== undefined){
let data5 = data.cursor;
const _errs11 = errors;
if((typeof data5 !== "string") && (data5 !== null)){
validate223.errors = [{instancePath:instancePath+"/cursor",schemaPath:"#/properties/cursor/type",keyword:"type",params:{type: schema94.properties.cursor.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.limit !== undefined){
let data6 = data.limit;
const _errs13 = errors;
if((!(((typeof data6 == "number") && (!(data6 % 1) && !isNaN(data6))) && (isFinite(data6)))) && (data6 !== null)){
validate223.errors = [{instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/type",keyword:"type",params:{type: schema94.properties.limit.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs13){
if((typeof data6 == "number") && (isFinite(data6))){
if(data6 < 0 || isNaN(data6)){
validate223.errors = [{instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include_receipts !== undefined){
const _errs15 = errors;
if(typeof data.include_receipts !== "boolean"){
validate223.errors = [{instancePath:instancePath+"/include_receipts",schemaPath:"#/properties/include_receipts/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate223.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate223.errors = vErrors;
return errors === 0;
}
validate223.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const CallbackDeliveryPolicy = validate217;

export const CallbackDeliveryQueryRequest = validate224;
const schema95 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/callback_delivery_query_request.schema.json","title":"CallbackDeliveryQueryRequest","description":"Asks for a delivery.","type":"object","required":["delivery_id"],"properties":{"delivery_id":{"type":"string"},"tenant_id":{"type":["string","null"]},"include_receipts":{"type":"boolean","default":false}},"additionalProperties":false};

function validate224(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/callback_delivery_query_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate224.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.delivery_id === undefined) && (missing0 = "delivery_id")){
validate224.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "delivery_id") || (key0 === "tenant_id")) || (key0 === "include_receipts"))){
validate224.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.delivery_id !== undefined){
const _errs2 = errors;
if(typeof data.delivery_id !== "string"){
validate224.errors = [{instancePath:instancePath+"/delivery_id",schemaPath:"#/properties/delivery_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tenant_id !== undefined){
let data1 = data.tenant_id;
const _errs4 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate224.errors = [{instancePath:instancePath+"/tenant_id",schemaPath:"#/properties/tenant_id/type",keyword:"type",params:{type: schema95.properties.tenant_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include_receipts !== undefined){
const _errs6 = errors;
if(typeof data.include_receipts !== "boolean"){
validate224.errors = [{instancePath:instancePath+"/include_receipts",schemaPath:"#/properties/include_receipts/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate224.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate224.errors = vErrors;
return errors === 0;
}
validate224.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const CallbackDeliveryRecord = validate216;

export const Binding = validate225;
const schema96 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/binding.schema.json","title":"Binding","description":"How a profile names a capability; further members are the profile’s.","type":"object","required":["profile"],"properties":{"profile":{"type":"string"}}};

function validate225(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/binding.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate225.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.profile === undefined) && (missing0 = "profile")){
validate225.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
if(data.profile !== undefined){
if(typeof data.profile !== "string"){
validate225.errors = [{instancePath:instancePath+"/profile",schemaPath:"#/properties/profile/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
}
}
else {
validate225.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate225.errors = vErrors;
return errors === 0;
}
validate225.evaluated = {"props":{"profile":true},"dynamicProps":false,"dynamicItems":false};

export const Capability = validate226;
const schema97 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/capability.schema.json","title":"Capability","description":"Something that can be invoked.","type":"object","required":["id","name","kind","input_schema"],"properties":{"id":{"type":"string"},"name":{"type":"string"},"kind":{"enum":["agent","tool","workflow","channel","resource","human_task"]},"input_schema":{"type":"object"},"output_schema":{},"description":{"type":["string","null"]},"risk":{"enum":["low","medium","high","critical",null]},"stability":{"enum":["stable","experimental","deprecated",null]},"cost":{},"auth":{},"bindings":{"type":"array","items":{"$ref":"binding.schema.json"}},"requires_human_approval":{"type":["boolean","null"]},"contract":{"anyOf":[{"$ref":"capability_contract.schema.json"},{"type":"null"}]}},"additionalProperties":false};
const schema98 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/capability_contract.schema.json","title":"CapabilityContract","description":"What a capability promises and demands.","type":"object","required":["idempotency","execution","data"],"properties":{"side_effects":{"type":"array","items":{"enum":["read","write","delete","send_message","financial","identity","medical","legal","external_network","code_execution"]}},"idempotency":{"$ref":"idempotency_contract.schema.json"},"execution":{"$ref":"execution_contract.schema.json"},"data":{"$ref":"data_contract.schema.json"},"credentials":{"anyOf":[{"$ref":"credential_policy.schema.json"},{"type":"null"}]},"approval":{"anyOf":[{"$ref":"approval_policy.schema.json"},{"type":"null"}]},"sla":{"anyOf":[{"$ref":"service_level_contract.schema.json"},{"type":"null"}]},"transaction":{"anyOf":[{"$ref":"transaction_contract.schema.json"},{"type":"null"}]},"compensation":{"anyOf":[{"$ref":"compensation_contract.schema.json"},{"type":"null"}]}},"additionalProperties":false};
const schema99 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/idempotency_contract.schema.json","title":"IdempotencyContract","description":"How a capability treats idempotency keys.","type":"object","required":["requirement","collision_behavior","key_scope"],"properties":{"requirement":{"enum":["required","optional","unsupported"]},"collision_behavior":{"enum":["return_original_result","reject_conflict","revalidate_input_hash"]},"key_scope":{"enum":["action","capability","principal","tenant","external_account"]},"ttl_ms":{"type":["integer","null"],"minimum":0}},"additionalProperties":false};

function validate229(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/idempotency_contract.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate229.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.requirement === undefined) && (missing0 = "requirement")) || ((data.collision_behavior === undefined) && (missing0 = "collision_behavior"))) || ((data.key_scope === undefined) && (missing0 = "key_scope"))){
validate229.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "requirement") || (key0 === "collision_behavior")) || (key0 === "key_scope")) || (key0 === "ttl_ms"))){
validate229.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.requirement !== undefined){
let data0 = data.requirement;
const _errs2 = errors;
if(!(((data0 === "required") || (data0 === "optional")) || (data0 === "unsupported"))){
validate229.errors = [{instancePath:instancePath+"/requirement",schemaPath:"#/properties/requirement/enum",keyword:"enum",params:{allowedValues: schema99.properties.requirement.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.collision_behavior !== undefined){
let data1 = data.collision_behavior;
const _errs3 = errors;
if(!(((data1 === "return_original_result") || (data1 === "reject_conflict")) || (data1 === "revalidate_input_hash"))){
validate229.errors = [{instancePath:instancePath+"/collision_behavior",schemaPath:"#/properties/collision_behavior/enum",keyword:"enum",params:{allowedValues: schema99.properties.collision_behavior.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.key_scope !== undefined){
let data2 = data.key_scope;
const _errs4 = errors;
if(!(((((data2 === "action") || (data2 === "capability")) || (data2 === "principal")) || (data2 === "tenant")) || (data2 === "external_account"))){
validate229.errors = [{instancePath:instancePath+"/key_scope",schemaPath:"#/properties/key_scope/enum",keyword:"enum",params:{allowedValues: schema99.properties.key_scope.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.ttl_ms !== undefined){
let data3 = data.ttl_ms;
const _errs5 = errors;
if((!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))) && (data3 !== null)){
validate229.errors = [{instancePath:instancePath+"/ttl_ms",schemaPath:"#/properties/ttl_ms/type",keyword:"type",params:{type: schema99.properties.ttl_ms.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs5){
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 < 0 || isNaN(data3)){
validate229.errors = [{instancePath:instancePath+"/ttl_ms",schemaPath:"#/properties/ttl_ms/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate229.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate229.errors = vErrors;
return errors === 0;
}
validate229.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema100 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/execution_contract.schema.json","title":"ExecutionContract","description":"How a capability runs.","type":"object","required":["supports_sync","supports_async","supports_streaming","supports_cancel","supports_retry","expected_completion","retry_safety"],"properties":{"supports_sync":{"type":"boolean"},"supports_async":{"type":"boolean"},"supports_streaming":{"type":"boolean"},"supports_cancel":{"type":"boolean"},"supports_retry":{"type":"boolean"},"expected_completion":{"enum":["sync","async","streaming","any"]},"retry_safety":{"enum":["safe","safe_with_idempotency_key","unsafe","unknown"]}},"additionalProperties":false};

function validate231(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/execution_contract.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate231.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((((((data.supports_sync === undefined) && (missing0 = "supports_sync")) || ((data.supports_async === undefined) && (missing0 = "supports_async"))) || ((data.supports_streaming === undefined) && (missing0 = "supports_streaming"))) || ((data.supports_cancel === undefined) && (missing0 = "supports_cancel"))) || ((data.supports_retry === undefined) && (missing0 = "supports_retry"))) || ((data.expected_completion === undefined) && (missing0 = "expected_completion"))) || ((data.retry_safety === undefined) && (missing0 = "retry_safety"))){
validate231.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((((key0 === "supports_sync") || (key0 === "supports_async")) || (key0 === "supports_streaming")) || (key0 === "supports_cancel")) || (key0 === "supports_retry")) || (key0 === "expected_completion")) || (key0 === "retry_safety"))){
validate231.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.supports_sync !== undefined){
const _errs2 = errors;
if(typeof data.supports_sync !== "boolean"){
validate231.errors = [{instancePath:instancePath+"/supports_sync",schemaPath:"#/properties/supports_sync/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.supports_async !== undefined){
const _errs4 = errors;
if(typeof data.supports_async !== "boolean"){
validate231.errors = [{instancePath:instancePath+"/supports_async",schemaPath:"#/properties/supports_async/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.supports_streaming !== undefined){
const _errs6 = errors;
if(typeof data.supports_streaming !== "boolean"){
validate231.errors = [{instancePath:instancePath+"/supports_streaming",schemaPath:"#/properties/supports_streaming/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.supports_cancel !== undefined){
const _errs8 = errors;
if(typeof data.supports_cancel !== "boolean"){
validate231.errors = [{instancePath:instancePath+"/supports_cancel",schemaPath:"#/properties/supports_cancel/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.supports_retry !== undefined){
const _errs10 = errors;
if(typeof data.supports_retry !== "boolean"){
validate231.errors = [{instancePath:instancePath+"/supports_retry",schemaPath:"#/properties/supports_retry/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.expected_completion !== undefined){
let data5 = data.expected_completion;
const _errs12 = errors;
if(!((((data5 === "sync") || (data5 === "async")) || (data5 === "streaming")) || (data5 === "any"))){
validate231.errors = [{instancePath:instancePath+"/expected_completion",schemaPath:"#/properties/expected_completion/enum",keyword:"enum",params:{allowedValues: schema100.properties.expected_completion.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.retry_safety !== undefined){
let data6 = data.retry_safety;
const _errs13 = errors;
if(!((((data6 === "safe") || (data6 === "safe_with_idempotency_key")) || (data6 === "unsafe")) || (data6 === "unknown"))){
validate231.errors = [{instancePath:instancePath+"/retry_safety",schemaPath:"#/properties/retry_safety/enum",keyword:"enum",params:{allowedValues: schema100.properties.retry_safety.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate231.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate231.errors = vErrors;
return errors === 0;
}
validate231.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema101 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/data_contract.schema.json","title":"DataContract","description":"What data a capability handles.","type":"object","required":["sensitivity","contains_pii","redaction_required"],"properties":{"sensitivity":{"enum":["public","internal","confidential","restricted","regulated","unknown"]},"contains_pii":{"type":"boolean"},"redaction_required":{"type":"boolean"},"residency":{"anyOf":[{"$ref":"data_residency.schema.json"},{"type":"null"}]},"retention":{"anyOf":[{"$ref":"retention_policy.schema.json"},{"type":"null"}]}},"additionalProperties":false};
const schema102 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/data_residency.schema.json","title":"DataResidency","description":"Where data may be.","type":"object","required":[],"properties":{"allowed_regions":{"type":"array","items":{"type":"string"}},"prohibited_regions":{"type":"array","items":{"type":"string"}}},"additionalProperties":false};

function validate234(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/data_residency.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate234.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "allowed_regions") || (key0 === "prohibited_regions"))){
validate234.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.allowed_regions !== undefined){
let data0 = data.allowed_regions;
const _errs2 = errors;
if(errors === _errs2){
if(Array.isArray(data0)){
var valid1 = true;
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
const _errs4 = errors;
if(typeof data0[i0] !== "string"){
validate234.errors = [{instancePath:instancePath+"/allowed_regions/" + i0,schemaPath:"#/properties/allowed_regions/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs4 === errors;
if(!valid1){
break;
}
}
}
else {
validate234.errors = [{instancePath:instancePath+"/allowed_regions",schemaPath:"#/properties/allowed_regions/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.prohibited_regions !== undefined){
let data2 = data.prohibited_regions;
const _errs6 = errors;
if(errors === _errs6){
if(Array.isArray(data2)){
var valid2 = true;
const len1 = data2.length;
for(let i1=0; i1<len1; i1++){
const _errs8 = errors;
if(typeof data2[i1] !== "string"){
validate234.errors = [{instancePath:instancePath+"/prohibited_regions/" + i1,schemaPath:"#/properties/prohibited_regions/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs8 === errors;
if(!valid2){
break;
}
}
}
else {
validate234.errors = [{instancePath:instancePath+"/prohibited_regions",schemaPath:"#/properties/prohibited_regions/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
else {
validate234.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate234.errors = vErrors;
return errors === 0;
}
validate234.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema103 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/retention_policy.schema.json","title":"RetentionPolicy","description":"How long data is kept.","type":"object","required":["legal_hold_allowed"],"properties":{"retain_for_ms":{"type":["integer","null"],"minimum":0},"delete_after_ms":{"type":["integer","null"],"minimum":0},"legal_hold_allowed":{"type":"boolean"}},"additionalProperties":false};

function validate236(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/retention_policy.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate236.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.legal_hold_allowed === undefined) && (missing0 = "legal_hold_allowed")){
validate236.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "retain_for_ms") || (key0 === "delete_after_ms")) || (key0 === "legal_hold_allowed"))){
validate236.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.retain_for_ms !== undefined){
let data0 = data.retain_for_ms;
const _errs2 = errors;
if((!(((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0))) && (isFinite(data0)))) && (data0 !== null)){
validate236.errors = [{instancePath:instancePath+"/retain_for_ms",schemaPath:"#/properties/retain_for_ms/type",keyword:"type",params:{type: schema103.properties.retain_for_ms.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs2){
if((typeof data0 == "number") && (isFinite(data0))){
if(data0 < 0 || isNaN(data0)){
validate236.errors = [{instancePath:instancePath+"/retain_for_ms",schemaPath:"#/properties/retain_for_ms/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.delete_after_ms !== undefined){
let data1 = data.delete_after_ms;
const _errs4 = errors;
if((!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))) && (data1 !== null)){
validate236.errors = [{instancePath:instancePath+"/delete_after_ms",schemaPath:"#/properties/delete_after_ms/type",keyword:"type",params:{type: schema103.properties.delete_after_ms.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs4){
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 < 0 || isNaN(data1)){
validate236.errors = [{instancePath:instancePath+"/delete_after_ms",schemaPath:"#/properties/delete_after_ms/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.legal_hold_allowed !== undefined){
const _errs6 = errors;
if(typeof data.legal_hold_allowed !== "boolean"){
validate236.errors = [{instancePath:instancePath+"/legal_hold_allowed",schemaPath:"#/properties/legal_hold_allowed/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate236.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate236.errors = vErrors;
return errors === 0;
}
validate236.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate233(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/data_contract.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate233.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.sensitivity === undefined) && (missing0 = "sensitivity")) || ((data.contains_pii === undefined) && (missing0 = "contains_pii"))) || ((data.redaction_required === undefined) && (missing0 = "redaction_required"))){
validate233.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((key0 === "sensitivity") || (key0 === "contains_pii")) || (key0 === "redaction_required")) || (key0 === "residency")) || (key0 === "retention"))){
validate233.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.sensitivity !== undefined){
let data0 = data.sensitivity;
const _errs2 = errors;
if(!((((((data0 === "public") || (data0 === "internal")) || (data0 === "confidential")) || (data0 === "restricted")) || (data0 === "regulated")) || (data0 === "unknown"))){
validate233.errors = [{instancePath:instancePath+"/sensitivity",schemaPath:"#/properties/sensitivity/enum",keyword:"enum",params:{allowedValues: schema101.properties.sensitivity.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.contains_pii !== undefined){
const _errs3 = errors;
if(typeof data.contains_pii !== "boolean"){
validate233.errors = [{instancePath:instancePath+"/contains_pii",schemaPath:"#/properties/contains_pii/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.redaction_required !== undefined){
const _errs5 = errors;
if(typeof data.redaction_required !== "boolean"){
validate233.errors = [{instancePath:instancePath+"/redaction_required",schemaPath:"#/properties/redaction_required/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.residency !== undefined){
let data3 = data.residency;
const _errs7 = errors;
const _errs8 = errors;
let valid1 = false;
const _errs9 = errors;
if(!(validate234(data3, {instancePath:instancePath+"/residency",parentData:data,parentDataProperty:"residency",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate234.errors : vErrors.concat(validate234.errors);
errors = vErrors.length;
}
var _valid0 = _errs9 === errors;
valid1 = valid1 || _valid0;
const _errs10 = errors;
if(data3 !== null){
const err0 = {instancePath:instancePath+"/residency",schemaPath:"#/properties/residency/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs10 === errors;
valid1 = valid1 || _valid0;
if(!valid1){
const err1 = {instancePath:instancePath+"/residency",schemaPath:"#/properties/residency/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate233.errors = vErrors;
return false;
}
else {
errors = _errs8;
if(vErrors !== null){
if(_errs8){
vErrors.length = _errs8;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.retention !== undefined){
let data4 = data.retention;
const _errs12 = errors;
const _errs13 = errors;
let valid2 = false;
const _errs14 = errors;
if(!(validate236(data4, {instancePath:instancePath+"/retention",parentData:data,parentDataProperty:"retention",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate236.errors : vErrors.concat(validate236.errors);
errors = vErrors.length;
}
var _valid1 = _errs14 === errors;
valid2 = valid2 || _valid1;
const _errs15 = errors;
if(data4 !== null){
const err2 = {instancePath:instancePath+"/retention",schemaPath:"#/properties/retention/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
var _valid1 = _errs15 === errors;
valid2 = valid2 || _valid1;
if(!valid2){
const err3 = {instancePath:instancePath+"/retention",schemaPath:"#/properties/retention/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
validate233.errors = vErrors;
return false;
}
else {
errors = _errs13;
if(vErrors !== null){
if(_errs13){
vErrors.length = _errs13;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
else {
validate233.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate233.errors = vErrors;
return errors === 0;
}
validate233.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema104 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/credential_policy.schema.json","title":"CredentialPolicy","description":"What credential a capability needs.","type":"object","required":["required","allow_oauth_refresh"],"properties":{"required":{"type":"boolean"},"accepted_issuers":{"type":"array","items":{"type":"string"}},"required_scopes":{"type":"array","items":{"type":"string"}},"allow_oauth_refresh":{"type":"boolean"}},"additionalProperties":false};

function validate239(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/credential_policy.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate239.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.required === undefined) && (missing0 = "required")) || ((data.allow_oauth_refresh === undefined) && (missing0 = "allow_oauth_refresh"))){
validate239.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "required") || (key0 === "accepted_issuers")) || (key0 === "required_scopes")) || (key0 === "allow_oauth_refresh"))){
validate239.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.required !== undefined){
const _errs2 = errors;
if(typeof data.required !== "boolean"){
validate239.errors = [{instancePath:instancePath+"/required",schemaPath:"#/properties/required/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.accepted_issuers !== undefined){
let data1 = data.accepted_issuers;
const _errs4 = errors;
if(errors === _errs4){
if(Array.isArray(data1)){
var valid1 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
const _errs6 = errors;
if(typeof data1[i0] !== "string"){
validate239.errors = [{instancePath:instancePath+"/accepted_issuers/" + i0,schemaPath:"#/properties/accepted_issuers/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs6 === errors;
if(!valid1){
break;
}
}
}
else {
validate239.errors = [{instancePath:instancePath+"/accepted_issuers",schemaPath:"#/properties/accepted_issuers/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.required_scopes !== undefined){
let data3 = data.required_scopes;
const _errs8 = errors;
if(errors === _errs8){
if(Array.isArray(data3)){
var valid2 = true;
const len1 = data3.length;
for(let i1=0; i1<len1; i1++){
const _errs10 = errors;
if(typeof data3[i1] !== "string"){
validate239.errors = [{instancePath:instancePath+"/required_scopes/" + i1,schemaPath:"#/properties/required_scopes/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs10 === errors;
if(!valid2){
break;
}
}
}
else {
validate239.errors = [{instancePath:instancePath+"/required_scopes",schemaPath:"#/properties/required_scopes/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.allow_oauth_refresh !== undefined){
const _errs12 = errors;
if(typeof data.allow_oauth_refresh !== "boolean"){
validate239.errors = [{instancePath:instancePath+"/allow_oauth_refresh",schemaPath:"#/properties/allow_oauth_refresh/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate239.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate239.errors = vErrors;
return errors === 0;
}
validate239.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema105 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/service_level_contract.schema.json","title":"ServiceLevelContract","description":"How fast a capability is.","type":"object","required":["async_expected"],"properties":{"expected_latency_ms":{"type":["integer","null"],"minimum":0},"timeout_ms":{"type":["integer","null"],"minimum":0},"async_expected":{"type":"boolean"},"max_queue_delay_ms":{"type":["integer","null"],"minimum":0},"availability_target":{"type":["string","null"]}},"additionalProperties":false};

function validate242(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/service_level_contract.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate242.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.async_expected === undefined) && (missing0 = "async_expected")){
validate242.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((key0 === "expected_latency_ms") || (key0 === "timeout_ms")) || (key0 === "async_expected")) || (key0 === "max_queue_delay_ms")) || (key0 === "availability_target"))){
validate242.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.expected_latency_ms !== undefined){
let data0 = data.expected_latency_ms;
const _errs2 = errors;
if((!(((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0))) && (isFinite(data0)))) && (data0 !== null)){
validate242.errors = [{instancePath:instancePath+"/expected_latency_ms",schemaPath:"#/properties/expected_latency_ms/type",keyword:"type",params:{type: schema105.properties.expected_latency_ms.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs2){
if((typeof data0 == "number") && (isFinite(data0))){
if(data0 < 0 || isNaN(data0)){
validate242.errors = [{instancePath:instancePath+"/expected_latency_ms",schemaPath:"#/properties/expected_latency_ms/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.timeout_ms !== undefined){
let data1 = data.timeout_ms;
const _errs4 = errors;
if((!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))) && (data1 !== null)){
validate242.errors = [{instancePath:instancePath+"/timeout_ms",schemaPath:"#/properties/timeout_ms/type",keyword:"type",params:{type: schema105.properties.timeout_ms.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs4){
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 < 0 || isNaN(data1)){
validate242.errors = [{instancePath:instancePath+"/timeout_ms",schemaPath:"#/properties/timeout_ms/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.async_expected !== undefined){
const _errs6 = errors;
if(typeof data.async_expected !== "boolean"){
validate242.errors = [{instancePath:instancePath+"/async_expected",schemaPath:"#/properties/async_expected/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.max_queue_delay_ms !== undefined){
let data3 = data.max_queue_delay_ms;
const _errs8 = errors;
if((!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))) && (data3 !== null)){
validate242.errors = [{instancePath:instancePath+"/max_queue_delay_ms",schemaPath:"#/properties/max_queue_delay_ms/type",keyword:"type",params:{type: schema105.properties.max_queue_delay_ms.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs8){
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 < 0 || isNaN(data3)){
validate242.errors = [{instancePath:instancePath+"/max_queue_delay_ms",schemaPath:"#/properties/max_queue_delay_ms/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.availability_target !== undefined){
let data4 = data.availability_target;
const _errs10 = errors;
if((typeof data4 !== "string") && (data4 !== null)){
validate242.errors = [{instancePath:instancePath+"/availability_target",schemaPath:"#/properties/availability_target/type",keyword:"type",params:{type: schema105.properties.availability_target.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
else {
validate242.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate242.errors = vErrors;
return errors === 0;
}
validate242.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema106 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/transaction_contract.schema.json","title":"TransactionContract","description":"Transaction steps a capability supports.","type":"object","required":["requires_plan_before_commit","dry_run_fidelity"],"properties":{"supported_modes":{"type":"array","items":{"enum":["execute","dry_run","plan","commit","compensate","reconcile","rollback_not_supported"]}},"requires_plan_before_commit":{"type":"boolean"},"dry_run_fidelity":{"enum":["schema_only","policy_and_schema","downstream_validation","full_simulation"]}},"additionalProperties":false};

function validate244(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/transaction_contract.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate244.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.requires_plan_before_commit === undefined) && (missing0 = "requires_plan_before_commit")) || ((data.dry_run_fidelity === undefined) && (missing0 = "dry_run_fidelity"))){
validate244.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "supported_modes") || (key0 === "requires_plan_before_commit")) || (key0 === "dry_run_fidelity"))){
validate244.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.supported_modes !== undefined){
let data0 = data.supported_modes;
const _errs2 = errors;
if(errors === _errs2){
if(Array.isArray(data0)){
var valid1 = true;
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
let data1 = data0[i0];
const _errs4 = errors;
if(!(((((((data1 === "execute") || (data1 === "dry_run")) || (data1 === "plan")) || (data1 === "commit")) || (data1 === "compensate")) || (data1 === "reconcile")) || (data1 === "rollback_not_supported"))){
validate244.errors = [{instancePath:instancePath+"/supported_modes/" + i0,schemaPath:"#/properties/supported_modes/items/enum",keyword:"enum",params:{allowedValues: schema106.properties.supported_modes.items.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid1 = _errs4 === errors;
if(!valid1){
break;
}
}
}
else {
validate244.errors = [{instancePath:instancePath+"/supported_modes",schemaPath:"#/properties/supported_modes/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.requires_plan_before_commit !== undefined){
const _errs5 = errors;
if(typeof data.requires_plan_before_commit !== "boolean"){
validate244.errors = [{instancePath:instancePath+"/requires_plan_before_commit",schemaPath:"#/properties/requires_plan_before_commit/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.dry_run_fidelity !== undefined){
let data3 = data.dry_run_fidelity;
const _errs7 = errors;
if(!((((data3 === "schema_only") || (data3 === "policy_and_schema")) || (data3 === "downstream_validation")) || (data3 === "full_simulation"))){
validate244.errors = [{instancePath:instancePath+"/dry_run_fidelity",schemaPath:"#/properties/dry_run_fidelity/enum",keyword:"enum",params:{allowedValues: schema106.properties.dry_run_fidelity.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate244.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate244.errors = vErrors;
return errors === 0;
}
validate244.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate228(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/capability_contract.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate228.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.idempotency === undefined) && (missing0 = "idempotency")) || ((data.execution === undefined) && (missing0 = "execution"))) || ((data.data === undefined) && (missing0 = "data"))){
validate228.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema98.properties, key0))){
validate228.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.side_effects !== undefined){
let data0 = data.side_effects;
const _errs2 = errors;
if(errors === _errs2){
if(Array.isArray(data0)){
var valid1 = true;
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
let data1 = data0[i0];
const _errs4 = errors;
if(!((((((((((data1 === "read") || (data1 === "write")) || (data1 === "delete")) || (data1 === "send_message")) || (data1 === "financial")) || (data1 === "identity")) || (data1 === "medical")) || (data1 === "legal")) || (data1 === "external_network")) || (data1 === "code_execution"))){
validate228.errors = [{instancePath:instancePath+"/side_effects/" + i0,schemaPath:"#/properties/side_effects/items/enum",keyword:"enum",params:{allowedValues: schema98.properties.side_effects.items.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid1 = _errs4 === errors;
if(!valid1){
break;
}
}
}
else {
validate228.errors = [{instancePath:instancePath+"/side_effects",schemaPath:"#/properties/side_effects/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.idempotency !== undefined){
const _errs5 = errors;
if(!(validate229(data.idempotency, {instancePath:instancePath+"/idempotency",parentData:data,parentDataProperty:"idempotency",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate229.errors : vErrors.concat(validate229.errors);
errors = vErrors.length;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.execution !== undefined){
const _errs6 = errors;
if(!(validate231(data.execution, {instancePath:instancePath+"/execution",parentData:data,parentDataProperty:"execution",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate231.errors : vErrors.concat(validate231.errors);
errors = vErrors.length;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.data !== undefined){
const _errs7 = errors;
if(!(validate233(data.data, {instancePath:instancePath+"/data",parentData:data,parentDataProperty:"data",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate233.errors : vErrors.concat(validate233.errors);
errors = vErrors.length;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.credentials !== undefined){
let data5 = data.credentials;
const _errs8 = errors;
const _errs9 = errors;
let valid2 = false;
const _errs10 = errors;
if(!(validate239(data5, {instancePath:instancePath+"/credentials",parentData:data,parentDataProperty:"credentials",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate239.errors : vErrors.concat(validate239.errors);
errors = vErrors.length;
}
var _valid0 = _errs10 === errors;
valid2 = valid2 || _valid0;
const _errs11 = errors;
if(data5 !== null){
const err0 = {instancePath:instancePath+"/credentials",schemaPath:"#/properties/credentials/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs11 === errors;
valid2 = valid2 || _valid0;
if(!valid2){
const err1 = {instancePath:instancePath+"/credentials",schemaPath:"#/properties/credentials/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate228.errors = vErrors;
return false;
}
else {
errors = _errs9;
if(vErrors !== null){
if(_errs9){
vErrors.length = _errs9;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.approval !== undefined){
let data6 = data.approval;
const _errs13 = errors;
const _errs14 = errors;
let valid3 = false;
const _errs15 = errors;
if(!(validate159(data6, {instancePath:instancePath+"/approval",parentData:data,parentDataProperty:"approval",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate159.errors : vErrors.concat(validate159.errors);
errors = vErrors.length;
}
var _valid1 = _errs15 === errors;
valid3 = valid3 || _valid1;
const _errs16 = errors;
if(data6 !== null){
const err2 = {instancePath:instancePath+"/approval",schemaPath:"#/properties/approval/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
var _valid1 = _errs16 === errors;
valid3 = valid3 || _valid1;
if(!valid3){
const err3 = {instancePath:instancePath+"/approval",schemaPath:"#/properties/approval/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
validate228.errors = vErrors;
return false;
}
else {
errors = _errs14;
if(vErrors !== null){
if(_errs14){
vErrors.length = _errs14;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.sla !== undefined){
let data7 = data.sla;
const _errs18 = errors;
const _errs19 = errors;
let valid4 = false;
const _errs20 = errors;
if(!(validate242(data7, {instancePath:instancePath+"/sla",parentData:data,parentDataProperty:"sla",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate242.errors : vErrors.concat(validate242.errors);
errors = vErrors.length;
}
var _valid2 = _errs20 === errors;
valid4 = valid4 || _valid2;
const _errs21 = errors;
if(data7 !== null){
const err4 = {instancePath:instancePath+"/sla",schemaPath:"#/properties/sla/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
var _valid2 = _errs21 === errors;
valid4 = valid4 || _valid2;
if(!valid4){
const err5 = {instancePath:instancePath+"/sla",schemaPath:"#/properties/sla/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
validate228.errors = vErrors;
return false;
}
else {
errors = _errs19;
if(vErrors !== null){
if(_errs19){
vErrors.length = _errs19;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs18 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.transaction !== undefined){
let data8 = data.transaction;
const _errs23 = errors;
const _errs24 = errors;
let valid5 = false;
const _errs25 = errors;
if(!(validate244(data8, {instancePath:instancePath+"/transaction",parentData:data,parentDataProperty:"transaction",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate244.errors : vErrors.concat(validate244.errors);
errors = vErrors.length;
}
var _valid3 = _errs25 === errors;
valid5 = valid5 || _valid3;
const _errs26 = errors;
if(data8 !== null){
const err6 = {instancePath:instancePath+"/transaction",schemaPath:"#/properties/transaction/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
var _valid3 = _errs26 === errors;
valid5 = valid5 || _valid3;
if(!valid5){
const err7 = {instancePath:instancePath+"/transaction",schemaPath:"#/properties/transaction/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
validate228.errors = vErrors;
return false;
}
else {
errors = _errs24;
if(vErrors !== null){
if(_errs24){
vErrors.length = _errs24;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs23 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.compensation !== undefined){
let data9 = data.compensation;
const _errs28 = errors;
const _errs29 = errors;
let valid6 = false;
const _errs30 = errors;
if(!(validate194(data9, {instancePath:instancePath+"/compensation",parentData:data,parentDataProperty:"compensation",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate194.errors : vErrors.concat(validate194.errors);
errors = vErrors.length;
}
var _valid4 = _errs30 === errors;
valid6 = valid6 || _valid4;
const _errs31 = errors;
if(data9 !== null){
const err8 = {instancePath:instancePath+"/compensation",schemaPath:"#/properties/compensation/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
var _valid4 = _errs31 === errors;
valid6 = valid6 || _valid4;
if(!valid6){
const err9 = {instancePath:instancePath+"/compensation",schemaPath:"#/properties/compensation/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
validate228.errors = vErrors;
return false;
}
else {
errors = _errs29;
if(vErrors !== null){
if(_errs29){
vErrors.length = _errs29;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs28 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate228.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate228.errors = vErrors;
return errors === 0;
}
validate228.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate226(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/capability.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate226.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((data.id === undefined) && (missing0 = "id")) || ((data.name === undefined) && (missing0 = "name"))) || ((data.kind === undefined) && (missing0 = "kind"))) || ((data.input_schema === undefined) && (missing0 = "input_schema"))){
validate226.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema97.properties, key0))){
validate226.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate226.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.name !== undefined){
const _errs4 = errors;
if(typeof data.name !== "string"){
validate226.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.kind !== undefined){
let data2 = data.kind;
const _errs6 = errors;
if(!((((((data2 === "agent") || (data2 === "tool")) || (data2 === "workflow")) || (data2 === "channel")) || (data2 === "resource")) || (data2 === "human_task"))){
validate226.errors = [{instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/enum",keyword:"enum",params:{allowedValues: schema97.properties.kind.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.input_schema !== undefined){
let data3 = data.input_schema;
const _errs7 = errors;
if(!(data3 && typeof data3 == "object" && !Array.isArray(data3))){
validate226.errors = [{instancePath:instancePath+"/input_schema",schemaPath:"#/properties/input_schema/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.description !== undefined){
let data4 = data.description;
const _errs9 = errors;
if((typeof data4 !== "string") && (data4 !== null)){
validate226.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/type",keyword:"type",params:{type: schema97.properties.description.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.risk !== undefined){
let data5 = data.risk;
const _errs11 = errors;
if(!(((((data5 === "low") || (data5 === "medium")) || (data5 === "high")) || (data5 === "critical")) || (data5 === null))){
validate226.errors = [{instancePath:instancePath+"/risk",schemaPath:"#/properties/risk/enum",keyword:"enum",params:{allowedValues: schema97.properties.risk.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.stability !== undefined){
let data6 = data.stability;
const _errs12 = errors;
if(!((((data6 === "stable") || (data6 === "experimental")) || (data6 === "deprecated")) || (data6 === null))){
validate226.errors = [{instancePath:instancePath+"/stability",schemaPath:"#/properties/stability/enum",keyword:"enum",params:{allowedValues: schema97.properties.stability.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.bindings !== undefined){
let data7 = data.bindings;
const _errs13 = errors;
if(errors === _errs13){
if(Array.isArray(data7)){
var valid1 = true;
const len0 = data7.length;
for(let i0=0; i0<len0; i0++){
const _errs15 = errors;
if(!(validate225(data7[i0], {instancePath:instancePath+"/bindings/" + i0,parentData:data7,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate225.errors : vErrors.concat(validate225.errors);
errors = vErrors.length;
}
var valid1 = _errs15 === errors;
if(!valid1){
break;
}
}
}
else {
validate226.errors = [{instancePath:instancePath+"/bindings",schemaPath:"#/properties/bindings/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.requires_human_approval !== undefined){
let data9 = data.requires_human_approval;
const _errs16 = errors;
if((typeof data9 !== "boolean") && (data9 !== null)){
validate226.errors = [{instancePath:instancePath+"/requires_human_approval",schemaPath:"#/properties/requires_human_approval/type",keyword:"type",params:{type: schema97.properties.requires_human_approval.type},message:"must be boolean,null"}];
return false;
}
var valid0 = _errs16 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.contract !== undefined){
let data10 = data.contract;
const _errs18 = errors;
const _errs19 = errors;
let valid2 = false;
const _errs20 = errors;
if(!(validate228(data10, {instancePath:instancePath+"/contract",parentData:data,parentDataProperty:"contract",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate228.errors : vErrors.concat(validate228.errors);
errors = vErrors.length;
}
var _valid0 = _errs20 === errors;
valid2 = valid2 || _valid0;
const _errs21 = errors;
if(data10 !== null){
const err0 = {instancePath:instancePath+"/contract",schemaPath:"#/properties/contract/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs21 === errors;
valid2 = valid2 || _valid0;
if(!valid2){
const err1 = {instancePath:instancePath+"/contract",schemaPath:"#/properties/contract/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate226.errors = vErrors;
return false;
}
else {
errors = _errs19;
if(vErrors !== null){
if(_errs19){
vErrors.length = _errs19;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs18 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate226.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate226.errors = vErrors;
return errors === 0;
}
validate226.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const CapabilityContract = validate228;

export const CompensationContract = validate194;

export const CredentialPolicy = validate239;

export const DataContract = validate233;

export const DataResidency = validate234;

export const EventStream = validate248;
const schema107 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/event_stream.schema.json","title":"EventStream","description":"A page of events.","type":"object","required":["events"],"properties":{"events":{"type":"array","items":{"$ref":"event.schema.json"}},"next_cursor":{"type":["string","null"]}},"additionalProperties":false};

function validate248(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/event_stream.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate248.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.events === undefined) && (missing0 = "events")){
validate248.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "events") || (key0 === "next_cursor"))){
validate248.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.events !== undefined){
let data0 = data.events;
const _errs2 = errors;
if(errors === _errs2){
if(Array.isArray(data0)){
var valid1 = true;
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
const _errs4 = errors;
if(!(validate129(data0[i0], {instancePath:instancePath+"/events/" + i0,parentData:data0,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate129.errors : vErrors.concat(validate129.errors);
errors = vErrors.length;
}
var valid1 = _errs4 === errors;
if(!valid1){
break;
}
}
}
else {
validate248.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.next_cursor !== undefined){
let data2 = data.next_cursor;
const _errs5 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate248.errors = [{instancePath:instancePath+"/next_cursor",schemaPath:"#/properties/next_cursor/type",keyword:"type",params:{type: schema107.properties.next_cursor.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate248.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate248.errors = vErrors;
return errors === 0;
}
validate248.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const EventStreamRequest = validate250;
const schema108 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/event_stream_request.schema.json","title":"EventStreamRequest","description":"Asks for events.","type":"object","required":[],"properties":{"cursor":{"type":["string","null"]},"limit":{"type":["integer","null"],"minimum":0},"kinds":{"type":"array","items":{"type":"string"}}},"additionalProperties":false};

function validate250(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/event_stream_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate250.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "cursor") || (key0 === "limit")) || (key0 === "kinds"))){
validate250.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.cursor !== undefined){
let data0 = data.cursor;
const _errs2 = errors;
if((typeof data0 !== "string") && (data0 !== null)){
validate250.errors = [{instancePath:instancePath+"/cursor",schemaPath:"#/properties/cursor/type",keyword:"type",params:{type: schema108.properties.cursor.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.limit !== undefined){
let data1 = data.limit;
const _errs4 = errors;
if((!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))) && (data1 !== null)){
validate250.errors = [{instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/type",keyword:"type",params:{type: schema108.properties.limit.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs4){
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 < 0 || isNaN(data1)){
validate250.errors = [{instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.kinds !== undefined){
let data2 = data.kinds;
const _errs6 = errors;
if(errors === _errs6){
if(Array.isArray(data2)){
var valid1 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
const _errs8 = errors;
if(typeof data2[i0] !== "string"){
validate250.errors = [{instancePath:instancePath+"/kinds/" + i0,schemaPath:"#/properties/kinds/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs8 === errors;
if(!valid1){
break;
}
}
}
else {
validate250.errors = [{instancePath:instancePath+"/kinds",schemaPath:"#/properties/kinds/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate250.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate250.errors = vErrors;
return errors === 0;
}
validate250.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ExecutionContract = validate231;

export const IdempotencyContract = validate229;

export const Manifest = validate251;
const schema109 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/manifest.schema.json","title":"Manifest","description":"What a provider offers.","type":"object","required":["manifest_version","agent","profiles"],"properties":{"manifest_version":{"type":"string"},"agent":{"$ref":"principal.schema.json"},"capabilities":{"type":"array","items":{"$ref":"capability.schema.json"}},"profiles":{"type":"array","items":{"type":"string"}},"resources":{"type":"array","items":{"$ref":"resource.schema.json"}},"channels":{"type":"array","items":{}},"security":{},"governance":{},"limits":{},"compatibility":{},"extensions":{}},"additionalProperties":false};
const schema110 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/resource.schema.json","title":"Resource","description":"Something that can be read.","type":"object","required":["id","name"],"properties":{"id":{"type":"string"},"name":{"type":"string"},"kind":{"type":["string","null"]},"capability_id":{"type":["string","null"]},"description":{"type":["string","null"]},"mime_type":{"type":["string","null"]},"tenant_id":{"type":["string","null"]},"access":{"anyOf":[{"$ref":"resource_access_policy.schema.json"},{"type":"null"}]},"expires_at":{"type":["string","null"]}},"additionalProperties":false};
const schema111 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/resource_access_policy.schema.json","title":"ResourceAccessPolicy","description":"Who may read; any one required scope suffices.","type":"object","required":[],"properties":{"public":{"type":"boolean","default":false},"allowed_principals":{"type":"array","items":{"type":"string"}},"required_scopes":{"type":"array","items":{"type":"string"}},"tenant_required":{"type":"boolean","default":false}},"additionalProperties":false};

function validate255(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/resource_access_policy.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate255.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "public") || (key0 === "allowed_principals")) || (key0 === "required_scopes")) || (key0 === "tenant_required"))){
validate255.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.public !== undefined){
const _errs2 = errors;
if(typeof data.public !== "boolean"){
validate255.errors = [{instancePath:instancePath+"/public",schemaPath:"#/properties/public/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.allowed_principals !== undefined){
let data1 = data.allowed_principals;
const _errs4 = errors;
if(errors === _errs4){
if(Array.isArray(data1)){
var valid1 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
const _errs6 = errors;
if(typeof data1[i0] !== "string"){
validate255.errors = [{instancePath:instancePath+"/allowed_principals/" + i0,schemaPath:"#/properties/allowed_principals/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs6 === errors;
if(!valid1){
break;
}
}
}
else {
validate255.errors = [{instancePath:instancePath+"/allowed_principals",schemaPath:"#/properties/allowed_principals/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.required_scopes !== undefined){
let data3 = data.required_scopes;
const _errs8 = errors;
if(errors === _errs8){
if(Array.isArray(data3)){
var valid2 = true;
const len1 = data3.length;
for(let i1=0; i1<len1; i1++){
const _errs10 = errors;
if(typeof data3[i1] !== "string"){
validate255.errors = [{instancePath:instancePath+"/required_scopes/" + i1,schemaPath:"#/properties/required_scopes/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs10 === errors;
if(!valid2){
break;
}
}
}
else {
validate255.errors = [{instancePath:instancePath+"/required_scopes",schemaPath:"#/properties/required_scopes/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tenant_required !== undefined){
const _errs12 = errors;
if(typeof data.tenant_required !== "boolean"){
validate255.errors = [{instancePath:instancePath+"/tenant_required",schemaPath:"#/properties/tenant_required/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate255.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate255.errors = vErrors;
return errors === 0;
}
validate255.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate254(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/resource.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate254.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.id === undefined) && (missing0 = "id")) || ((data.name === undefined) && (missing0 = "name"))){
validate254.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema110.properties, key0))){
validate254.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate254.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.name !== undefined){
const _errs4 = errors;
if(typeof data.name !== "string"){
validate254.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.kind !== undefined){
let data2 = data.kind;
const _errs6 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate254.errors = [{instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/type",keyword:"type",params:{type: schema110.properties.kind.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.capability_id !== undefined){
let data3 = data.capability_id;
const _errs8 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate254.errors = [{instancePath:instancePath+"/capability_id",schemaPath:"#/properties/capability_id/type",keyword:"type",params:{type: schema110.properties.capability_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.description !== undefined){
let data4 = data.description;
const _errs10 = errors;
if((typeof data4 !== "string") && (data4 !== null)){
validate254.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/type",keyword:"type",params:{type: schema110.properties.description.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.mime_type !== undefined){
let data5 = data.mime_type;
const _errs12 = errors;
if((typeof data5 !== "string") && (data5 !== null)){
validate254.errors = [{instancePath:instancePath+"/mime_type",schemaPath:"#/properties/mime_type/type",keyword:"type",params:{type: schema110.properties.mime_type.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tenant_id !== undefined){
let data6 = data.tenant_id;
const _errs14 = errors;
if((typeof data6 !== "string") && (data6 !== null)){
validate254.errors = [{instancePath:instancePath+"/tenant_id",schemaPath:"#/properties/tenant_id/type",keyword:"type",params:{type: schema110.properties.tenant_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.access !== undefined){
let data7 = data.access;
const _errs16 = errors;
const _errs17 = errors;
let valid1 = false;
const _errs18 = errors;
if(!(validate255(data7, {instancePath:instancePath+"/access",parentData:data,parentDataProperty:"access",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate255.errors : vErrors.concat(validate255.errors);
errors = vErrors.length;
}
var _valid0 = _errs18 === errors;
valid1 = valid1 || _valid0;
const _errs19 = errors;
if(data7 !== null){
const err0 = {instancePath:instancePath+"/access",schemaPath:"#/properties/access/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs19 === errors;
valid1 = valid1 || _valid0;
if(!valid1){
const err1 = {instancePath:instancePath+"/access",schemaPath:"#/properties/access/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate254.errors = vErrors;
return false;
}
else {
errors = _errs17;
if(vErrors !== null){
if(_errs17){
vErrors.length = _errs17;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs16 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.expires_at !== undefined){
let data8 = data.expires_at;
const _errs21 = errors;
if((typeof data8 !== "string") && (data8 !== null)){
validate254.errors = [{instancePath:instancePath+"/expires_at",schemaPath:"#/properties/expires_at/type",keyword:"type",params:{type: schema110.properties.expires_at.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs21 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate254.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate254.errors = vErrors;
return errors === 0;
}
validate254.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate251(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/manifest.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate251.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.manifest_version === undefined) && (missing0 = "manifest_version")) || ((data.agent === undefined) && (missing0 = "agent"))) || ((data.profiles === undefined) && (missing0 = "profiles"))){
validate251.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema109.properties, key0))){
validate251.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.manifest_version !== undefined){
const _errs2 = errors;
if(typeof data.manifest_version !== "string"){
validate251.errors = [{instancePath:instancePath+"/manifest_version",schemaPath:"#/properties/manifest_version/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.agent !== undefined){
const _errs4 = errors;
if(!(validate57(data.agent, {instancePath:instancePath+"/agent",parentData:data,parentDataProperty:"agent",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.capabilities !== undefined){
let data2 = data.capabilities;
const _errs5 = errors;
if(errors === _errs5){
if(Array.isArray(data2)){
var valid1 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
const _errs7 = errors;
if(!(validate226(data2[i0], {instancePath:instancePath+"/capabilities/" + i0,parentData:data2,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate226.errors : vErrors.concat(validate226.errors);
errors = vErrors.length;
}
var valid1 = _errs7 === errors;
if(!valid1){
break;
}
}
}
else {
validate251.errors = [{instancePath:instancePath+"/capabilities",schemaPath:"#/properties/capabilities/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.profiles !== undefined){
let data4 = data.profiles;
const _errs8 = errors;
if(errors === _errs8){
if(Array.isArray(data4)){
var valid2 = true;
const len1 = data4.length;
for(let i1=0; i1<len1; i1++){
const _errs10 = errors;
if(typeof data4[i1] !== "string"){
validate251.errors = [{instancePath:instancePath+"/profiles/" + i1,schemaPath:"#/properties/profiles/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs10 === errors;
if(!valid2){
break;
}
}
}
else {
validate251.errors = [{instancePath:instancePath+"/profiles",schemaPath:"#/properties/profiles/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.resources !== undefined){
let data6 = data.resources;
const _errs12 = errors;
if(errors === _errs12){
if(Array.isArray(data6)){
var valid3 = true;
const len2 = data6.length;
for(let i2=0; i2<len2; i2++){
const _errs14 = errors;
if(!(validate254(data6[i2], {instancePath:instancePath+"/resources/" + i2,parentData:data6,parentDataProperty:i2,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate254.errors : vErrors.concat(validate254.errors);
errors = vErrors.length;
}
var valid3 = _errs14 === errors;
if(!valid3){
break;
}
}
}
else {
validate251.errors = [{instancePath:instancePath+"/resources",schemaPath:"#/properties/resources/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.channels !== undefined){
const _errs15 = errors;
if(errors === _errs15){
if(!(Array.isArray(data.channels))){
validate251.errors = [{instancePath:instancePath+"/channels",schemaPath:"#/properties/channels/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
else {
validate251.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate251.errors = vErrors;
return errors === 0;
}
validate251.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ManifestFilter = validate258;
const schema112 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/manifest_filter.schema.json","title":"ManifestFilter","description":"Narrows a manifest.","type":"object","required":[],"properties":{"capability_ids":{"type":"array","items":{"type":"string"}},"resource_kinds":{"type":"array","items":{"type":"string"}},"profiles":{"type":"array","items":{"type":"string"}},"risk":{"type":"array","items":{"enum":["low","medium","high","critical"]}},"side_effects":{"type":"array","items":{"enum":["read","write","delete","send_message","financial","identity","medical","legal","external_network","code_execution"]}},"requires_approval":{"type":["boolean","null"]},"supports_streaming":{"type":["boolean","null"]},"supports_transactions":{"type":["boolean","null"]}},"additionalProperties":false};

function validate258(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/manifest_filter.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate258.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((((((((key0 === "capability_ids") || (key0 === "resource_kinds")) || (key0 === "profiles")) || (key0 === "risk")) || (key0 === "side_effects")) || (key0 === "requires_approval")) || (key0 === "supports_streaming")) || (key0 === "supports_transactions"))){
validate258.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.capability_ids !== undefined){
let data0 = data.capability_ids;
const _errs2 = errors;
if(errors === _errs2){
if(Array.isArray(data0)){
var valid1 = true;
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
const _errs4 = errors;
if(typeof data0[i0] !== "string"){
validate258.errors = [{instancePath:instancePath+"/capability_ids/" + i0,schemaPath:"#/properties/capability_ids/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs4 === errors;
if(!valid1){
break;
}
}
}
else {
validate258.errors = [{instancePath:instancePath+"/capability_ids",schemaPath:"#/properties/capability_ids/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.resource_kinds !== undefined){
let data2 = data.resource_kinds;
const _errs6 = errors;
if(errors === _errs6){
if(Array.isArray(data2)){
var valid2 = true;
const len1 = data2.length;
for(let i1=0; i1<len1; i1++){
const _errs8 = errors;
if(typeof data2[i1] !== "string"){
validate258.errors = [{instancePath:instancePath+"/resource_kinds/" + i1,schemaPath:"#/properties/resource_kinds/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs8 === errors;
if(!valid2){
break;
}
}
}
else {
validate258.errors = [{instancePath:instancePath+"/resource_kinds",schemaPath:"#/properties/resource_kinds/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.profiles !== undefined){
let data4 = data.profiles;
const _errs10 = errors;
if(errors === _errs10){
if(Array.isArray(data4)){
var valid3 = true;
const len2 = data4.length;
for(let i2=0; i2<len2; i2++){
const _errs12 = errors;
if(typeof data4[i2] !== "string"){
validate258.errors = [{instancePath:instancePath+"/profiles/" + i2,schemaPath:"#/properties/profiles/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid3 = _errs12 === errors;
if(!valid3){
break;
}
}
}
else {
validate258.errors = [{instancePath:instancePath+"/profiles",schemaPath:"#/properties/profiles/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.risk !== undefined){
let data6 = data.risk;
const _errs14 = errors;
if(errors === _errs14){
if(Array.isArray(data6)){
var valid4 = true;
const len3 = data6.length;
for(let i3=0; i3<len3; i3++){
let data7 = data6[i3];
const _errs16 = errors;
if(!((((data7 === "low") || (data7 === "medium")) || (data7 === "high")) || (data7 === "critical"))){
validate258.errors = [{instancePath:instancePath+"/risk/" + i3,schemaPath:"#/properties/risk/items/enum",keyword:"enum",params:{allowedValues: schema112.properties.risk.items.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid4 = _errs16 === errors;
if(!valid4){
break;
}
}
}
else {
validate258.errors = [{instancePath:instancePath+"/risk",schemaPath:"#/properties/risk/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.side_effects !== undefined){
let data8 = data.side_effects;
const _errs17 = errors;
if(errors === _errs17){
if(Array.isArray(data8)){
var valid5 = true;
const len4 = data8.length;
for(let i4=0; i4<len4; i4++){
let data9 = data8[i4];
const _errs19 = errors;
if(!((((((((((data9 === "read") || (data9 === "write")) || (data9 === "delete")) || (data9 === "send_message")) || (data9 === "financial")) || (data9 === "identity")) || (data9 === "medical")) || (data9 === "legal")) || (data9 === "external_network")) || (data9 === "code_execution"))){
validate258.errors = [{instancePath:instancePath+"/side_effects/" + i4,schemaPath:"#/properties/side_effects/items/enum",keyword:"enum",params:{allowedValues: schema112.properties.side_effects.items.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid5 = _errs19 === errors;
if(!valid5){
break;
}
}
}
else {
validate258.errors = [{instancePath:instancePath+"/side_effects",schemaPath:"#/properties/side_effects/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.requires_approval !== undefined){
let data10 = data.requires_approval;
const _errs20 = errors;
if((typeof data10 !== "boolean") && (data10 !== null)){
validate258.errors = [{instancePath:instancePath+"/requires_approval",schemaPath:"#/properties/requires_approval/type",keyword:"type",params:{type: schema112.properties.requires_approval.type},message:"must be boolean,null"}];
return false;
}
var valid0 = _errs20 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.supports_streaming !== undefined){
let data11 = data.supports_streaming;
const _errs22 = errors;
if((typeof data11 !== "boolean") && (data11 !== null)){
validate258.errors = [{instancePath:instancePath+"/supports_streaming",schemaPath:"#/properties/supports_streaming/type",keyword:"type",params:{type: schema112.properties.supports_streaming.type},message:"must be boolean,null"}];
return false;
}
var valid0 = _errs22 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.supports_transactions !== undefined){
let data12 = data.supports_transactions;
const _errs24 = errors;
if((typeof data12 !== "boolean") && (data12 !== null)){
validate258.errors = [{instancePath:instancePath+"/supports_transactions",schemaPath:"#/properties/supports_transactions/type",keyword:"type",params:{type: schema112.properties.supports_transactions.type},message:"must be boolean,null"}];
return false;
}
var valid0 = _errs24 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate258.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate258.errors = vErrors;
return errors === 0;
}
validate258.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ManifestRequest = validate259;
const schema113 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/manifest_request.schema.json","title":"ManifestRequest","description":"Asks for the manifest.","type":"object","required":[],"properties":{"profiles":{"type":"array","items":{"type":"string"}},"filter":{"anyOf":[{"$ref":"manifest_filter.schema.json"},{"type":"null"}]}},"additionalProperties":false};

function validate259(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/manifest_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate259.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "profiles") || (key0 === "filter"))){
validate259.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.profiles !== undefined){
let data0 = data.profiles;
const _errs2 = errors;
if(errors === _errs2){
if(Array.isArray(data0)){
var valid1 = true;
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
const _errs4 = errors;
if(typeof data0[i0] !== "string"){
validate259.errors = [{instancePath:instancePath+"/profiles/" + i0,schemaPath:"#/properties/profiles/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs4 === errors;
if(!valid1){
break;
}
}
}
else {
validate259.errors = [{instancePath:instancePath+"/profiles",schemaPath:"#/properties/profiles/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.filter !== undefined){
let data2 = data.filter;
const _errs6 = errors;
const _errs7 = errors;
let valid2 = false;
const _errs8 = errors;
if(!(validate258(data2, {instancePath:instancePath+"/filter",parentData:data,parentDataProperty:"filter",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate258.errors : vErrors.concat(validate258.errors);
errors = vErrors.length;
}
var _valid0 = _errs8 === errors;
valid2 = valid2 || _valid0;
const _errs9 = errors;
if(data2 !== null){
const err0 = {instancePath:instancePath+"/filter",schemaPath:"#/properties/filter/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs9 === errors;
valid2 = valid2 || _valid0;
if(!valid2){
const err1 = {instancePath:instancePath+"/filter",schemaPath:"#/properties/filter/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate259.errors = vErrors;
return false;
}
else {
errors = _errs7;
if(vErrors !== null){
if(_errs7){
vErrors.length = _errs7;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
else {
validate259.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate259.errors = vErrors;
return errors === 0;
}
validate259.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const RetentionPolicy = validate236;

export const ServiceLevelContract = validate242;

export const TransactionContract = validate244;

export const ChannelMessage = validate261;
const schema114 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/channel_message.schema.json","title":"ChannelMessage","description":"A message in a channel.","type":"object","required":["conversation","message","sender","parts"],"properties":{"conversation":{"$ref":"conversation.schema.json"},"identity":{"anyOf":[{"$ref":"identity_context.schema.json"},{"type":"null"}]},"message":{},"sender":{"$ref":"principal.schema.json"},"parts":{"type":"array","items":{"$ref":"message_part.schema.json"}},"delivery":{},"raw_payload":{}},"additionalProperties":false};

function validate261(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/channel_message.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate261.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((data.conversation === undefined) && (missing0 = "conversation")) || ((data.message === undefined) && (missing0 = "message"))) || ((data.sender === undefined) && (missing0 = "sender"))) || ((data.parts === undefined) && (missing0 = "parts"))){
validate261.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((((key0 === "conversation") || (key0 === "identity")) || (key0 === "message")) || (key0 === "sender")) || (key0 === "parts")) || (key0 === "delivery")) || (key0 === "raw_payload"))){
validate261.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.conversation !== undefined){
const _errs2 = errors;
if(!(validate54(data.conversation, {instancePath:instancePath+"/conversation",parentData:data,parentDataProperty:"conversation",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate54.errors : vErrors.concat(validate54.errors);
errors = vErrors.length;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.identity !== undefined){
let data1 = data.identity;
const _errs3 = errors;
const _errs4 = errors;
let valid1 = false;
const _errs5 = errors;
if(!(validate76(data1, {instancePath:instancePath+"/identity",parentData:data,parentDataProperty:"identity",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate76.errors : vErrors.concat(validate76.errors);
errors = vErrors.length;
}
var _valid0 = _errs5 === errors;
valid1 = valid1 || _valid0;
const _errs6 = errors;
if(data1 !== null){
const err0 = {instancePath:instancePath+"/identity",schemaPath:"#/properties/identity/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs6 === errors;
valid1 = valid1 || _valid0;
if(!valid1){
const err1 = {instancePath:instancePath+"/identity",schemaPath:"#/properties/identity/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate261.errors = vErrors;
return false;
}
else {
errors = _errs4;
if(vErrors !== null){
if(_errs4){
vErrors.length = _errs4;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.sender !== undefined){
const _errs8 = errors;
if(!(validate57(data.sender, {instancePath:instancePath+"/sender",parentData:data,parentDataProperty:"sender",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.parts !== undefined){
let data3 = data.parts;
const _errs9 = errors;
if(errors === _errs9){
if(Array.isArray(data3)){
var valid2 = true;
const len0 = data3.length;
for(let i0=0; i0<len0; i0++){
const _errs11 = errors;
if(!(validate101(data3[i0], {instancePath:instancePath+"/parts/" + i0,parentData:data3,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate101.errors : vErrors.concat(validate101.errors);
errors = vErrors.length;
}
var valid2 = _errs11 === errors;
if(!valid2){
break;
}
}
}
else {
validate261.errors = [{instancePath:instancePath+"/parts",schemaPath:"#/properties/parts/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate261.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate261.errors = vErrors;
return errors === 0;
}
validate261.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ConversationUpdated = validate266;
const schema115 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/conversation_updated.schema.json","title":"ConversationUpdated","description":"A conversation changed.","type":"object","required":["conversation","changed_fields"],"properties":{"conversation":{"$ref":"conversation.schema.json"},"identity":{"anyOf":[{"$ref":"identity_context.schema.json"},{"type":"null"}]},"changed_fields":{"type":"array","items":{"type":"string"}}},"additionalProperties":false};

function validate266(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/conversation_updated.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate266.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.conversation === undefined) && (missing0 = "conversation")) || ((data.changed_fields === undefined) && (missing0 = "changed_fields"))){
validate266.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "conversation") || (key0 === "identity")) || (key0 === "changed_fields"))){
validate266.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.conversation !== undefined){
const _errs2 = errors;
if(!(validate54(data.conversation, {instancePath:instancePath+"/conversation",parentData:data,parentDataProperty:"conversation",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate54.errors : vErrors.concat(validate54.errors);
errors = vErrors.length;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.identity !== undefined){
let data1 = data.identity;
const _errs3 = errors;
const _errs4 = errors;
let valid1 = false;
const _errs5 = errors;
if(!(validate76(data1, {instancePath:instancePath+"/identity",parentData:data,parentDataProperty:"identity",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate76.errors : vErrors.concat(validate76.errors);
errors = vErrors.length;
}
var _valid0 = _errs5 === errors;
valid1 = valid1 || _valid0;
const _errs6 = errors;
if(data1 !== null){
const err0 = {instancePath:instancePath+"/identity",schemaPath:"#/properties/identity/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs6 === errors;
valid1 = valid1 || _valid0;
if(!valid1){
const err1 = {instancePath:instancePath+"/identity",schemaPath:"#/properties/identity/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate266.errors = vErrors;
return false;
}
else {
errors = _errs4;
if(vErrors !== null){
if(_errs4){
vErrors.length = _errs4;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.changed_fields !== undefined){
let data2 = data.changed_fields;
const _errs8 = errors;
if(errors === _errs8){
if(Array.isArray(data2)){
var valid2 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
const _errs10 = errors;
if(typeof data2[i0] !== "string"){
validate266.errors = [{instancePath:instancePath+"/changed_fields/" + i0,schemaPath:"#/properties/changed_fields/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs10 === errors;
if(!valid2){
break;
}
}
}
else {
validate266.errors = [{instancePath:instancePath+"/changed_fields",schemaPath:"#/properties/changed_fields/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate266.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate266.errors = vErrors;
return errors === 0;
}
validate266.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const AuditEvent = validate269;
const schema116 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/audit_event.schema.json","title":"AuditEvent","description":"Who did what when.","type":"object","required":["id","actor","action","occurred_at"],"properties":{"id":{"type":"string"},"actor":{"$ref":"principal.schema.json"},"identity":{"anyOf":[{"$ref":"identity_context.schema.json"},{"type":"null"}]},"action":{"type":"string"},"occurred_at":{"type":"string"},"data":{}},"additionalProperties":false};

function validate269(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/audit_event.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate269.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((data.id === undefined) && (missing0 = "id")) || ((data.actor === undefined) && (missing0 = "actor"))) || ((data.action === undefined) && (missing0 = "action"))) || ((data.occurred_at === undefined) && (missing0 = "occurred_at"))){
validate269.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((((key0 === "id") || (key0 === "actor")) || (key0 === "identity")) || (key0 === "action")) || (key0 === "occurred_at")) || (key0 === "data"))){
validate269.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate269.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.actor !== undefined){
const _errs4 = errors;
if(!(validate57(data.actor, {instancePath:instancePath+"/actor",parentData:data,parentDataProperty:"actor",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.identity !== undefined){
let data2 = data.identity;
const _errs5 = errors;
const _errs6 = errors;
let valid1 = false;
const _errs7 = errors;
if(!(validate76(data2, {instancePath:instancePath+"/identity",parentData:data,parentDataProperty:"identity",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate76.errors : vErrors.concat(validate76.errors);
errors = vErrors.length;
}
var _valid0 = _errs7 === errors;
valid1 = valid1 || _valid0;
const _errs8 = errors;
if(data2 !== null){
const err0 = {instancePath:instancePath+"/identity",schemaPath:"#/properties/identity/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs8 === errors;
valid1 = valid1 || _valid0;
if(!valid1){
const err1 = {instancePath:instancePath+"/identity",schemaPath:"#/properties/identity/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate269.errors = vErrors;
return false;
}
else {
errors = _errs6;
if(vErrors !== null){
if(_errs6){
vErrors.length = _errs6;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.action !== undefined){
const _errs10 = errors;
if(typeof data.action !== "string"){
validate269.errors = [{instancePath:instancePath+"/action",schemaPath:"#/properties/action/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.occurred_at !== undefined){
const _errs12 = errors;
if(typeof data.occurred_at !== "string"){
validate269.errors = [{instancePath:instancePath+"/occurred_at",schemaPath:"#/properties/occurred_at/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
else {
validate269.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate269.errors = vErrors;
return errors === 0;
}
validate269.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const AuditQueryRequest = validate272;
const schema117 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/audit_query_request.schema.json","title":"AuditQueryRequest","description":"Asks for audit events.","type":"object","required":[],"properties":{"action_id":{"type":["string","null"]},"session_id":{"type":["string","null"]},"principal_id":{"type":["string","null"]},"transaction_id":{"type":["string","null"]},"tenant_id":{"type":["string","null"]},"from":{"type":["string","null"]},"to":{"type":["string","null"]},"cursor":{"type":["string","null"]},"limit":{"type":["integer","null"],"minimum":0},"include_receipts":{"type":"boolean","default":false},"export":{"type":"boolean","default":false}},"additionalProperties":false};

function validate272(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/audit_query_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate272.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema117.properties, key0))){
validate272.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.action_id !== undefined){
let data0 = data.action_id;
const _errs2 = errors;
if((typeof data0 !== "string") && (data0 !== null)){
validate272.errors = [{instancePath:instancePath+"/action_id",schemaPath:"#/properties/action_id/type",keyword:"type",params:{type: schema117.properties.action_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.session_id !== undefined){
let data1 = data.session_id;
const _errs4 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate272.errors = [{instancePath:instancePath+"/session_id",schemaPath:"#/properties/session_id/type",keyword:"type",params:{type: schema117.properties.session_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.principal_id !== undefined){
let data2 = data.principal_id;
const _errs6 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate272.errors = [{instancePath:instancePath+"/principal_id",schemaPath:"#/properties/principal_id/type",keyword:"type",params:{type: schema117.properties.principal_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.transaction_id !== undefined){
let data3 = data.transaction_id;
const _errs8 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate272.errors = [{instancePath:instancePath+"/transaction_id",schemaPath:"#/properties/transaction_id/type",keyword:"type",params:{type: schema117.properties.transaction_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tenant_id !== undefined){
let data4 = data.tenant_id;
const _errs10 = errors;
if((typeof data4 !== "string") && (data4 !== null)){
validate272.errors = [{instancePath:instancePath+"/tenant_id",schemaPath:"#/properties/tenant_id/type",keyword:"type",params:{type: schema117.properties.tenant_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.from !== undefined){
let data5 = data.from;
const _errs12 = errors;
if((typeof data5 !== "string") && (data5 !== null)){
validate272.errors = [{instancePath:instancePath+"/from",schemaPath:"#/properties/from/type",keyword:"type",params:{type: schema117.properties.from.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.to !== undefined){
let data6 = data.to;
const _errs14 = errors;
if((typeof data6 !== "string") && (data6 !== null)){
validate272.errors = [{instancePath:instancePath+"/to",schemaPath:"#/properties/to/type",keyword:"type",params:{type: schema117.properties.to.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.cursor !== undefined){
let data7 = data.cursor;
const _errs16 = errors;
if((typeof data7 !== "string") && (data7 !== null)){
validate272.errors = [{instancePath:instancePath+"/cursor",schemaPath:"#/properties/cursor/type",keyword:"type",params:{type: schema117.properties.cursor.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs16 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.limit !== undefined){
let data8 = data.limit;
const _errs18 = errors;
if((!(((typeof data8 == "number") && (!(data8 % 1) && !isNaN(data8))) && (isFinite(data8)))) && (data8 !== null)){
validate272.errors = [{instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/type",keyword:"type",params:{type: schema117.properties.limit.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs18){
if((typeof data8 == "number") && (isFinite(data8))){
if(data8 < 0 || isNaN(data8)){
validate272.errors = [{instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs18 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include_receipts !== undefined){
const _errs20 = errors;
if(typeof data.include_receipts !== "boolean"){
validate272.errors = [{instancePath:instancePath+"/include_receipts",schemaPath:"#/properties/include_receipts/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs20 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.export !== undefined){
const _errs22 = errors;
if(typeof data.export !== "boolean"){
validate272.errors = [{instancePath:instancePath+"/export",schemaPath:"#/properties/export/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs22 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate272.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate272.errors = vErrors;
return errors === 0;
}
validate272.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const AuditQueryResult = validate273;
const schema118 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/audit_query_result.schema.json","title":"AuditQueryResult","description":"A page of audit events.","type":"object","required":["events"],"properties":{"events":{"type":"array","items":{"$ref":"audit_event.schema.json"}},"receipt_chains":{"type":"array","items":{"$ref":"receipt_chain.schema.json"}},"cursor":{"type":["string","null"]}},"additionalProperties":false};

function validate273(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/audit_query_result.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate273.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.events === undefined) && (missing0 = "events")){
validate273.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "events") || (key0 === "receipt_chains")) || (key0 === "cursor"))){
validate273.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.events !== undefined){
let data0 = data.events;
const _errs2 = errors;
if(errors === _errs2){
if(Array.isArray(data0)){
var valid1 = true;
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
const _errs4 = errors;
if(!(validate269(data0[i0], {instancePath:instancePath+"/events/" + i0,parentData:data0,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate269.errors : vErrors.concat(validate269.errors);
errors = vErrors.length;
}
var valid1 = _errs4 === errors;
if(!valid1){
break;
}
}
}
else {
validate273.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.receipt_chains !== undefined){
let data2 = data.receipt_chains;
const _errs5 = errors;
if(errors === _errs5){
if(Array.isArray(data2)){
var valid2 = true;
const len1 = data2.length;
for(let i1=0; i1<len1; i1++){
const _errs7 = errors;
if(!(validate137(data2[i1], {instancePath:instancePath+"/receipt_chains/" + i1,parentData:data2,parentDataProperty:i1,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate137.errors : vErrors.concat(validate137.errors);
errors = vErrors.length;
}
var valid2 = _errs7 === errors;
if(!valid2){
break;
}
}
}
else {
validate273.errors = [{instancePath:instancePath+"/receipt_chains",schemaPath:"#/properties/receipt_chains/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.cursor !== undefined){
let data4 = data.cursor;
const _errs8 = errors;
if((typeof data4 !== "string") && (data4 !== null)){
validate273.errors = [{instancePath:instancePath+"/cursor",schemaPath:"#/properties/cursor/type",keyword:"type",params:{type: schema118.properties.cursor.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate273.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate273.errors = vErrors;
return errors === 0;
}
validate273.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const Receipt = validate138;

export const ReceiptChain = validate137;

export const ReceiptQueryRequest = validate276;
const schema119 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/receipt_query_request.schema.json","title":"ReceiptQueryRequest","description":"Asks for a chain, by its id or one of its receipts.","type":"object","required":[],"properties":{"chain_id":{"type":["string","null"]},"receipt_id":{"type":["string","null"]}},"additionalProperties":false};

function validate276(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/receipt_query_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate276.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "chain_id") || (key0 === "receipt_id"))){
validate276.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.chain_id !== undefined){
let data0 = data.chain_id;
const _errs2 = errors;
if((typeof data0 !== "string") && (data0 !== null)){
validate276.errors = [{instancePath:instancePath+"/chain_id",schemaPath:"#/properties/chain_id/type",keyword:"type",params:{type: schema119.properties.chain_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.receipt_id !== undefined){
let data1 = data.receipt_id;
const _errs4 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate276.errors = [{instancePath:instancePath+"/receipt_id",schemaPath:"#/properties/receipt_id/type",keyword:"type",params:{type: schema119.properties.receipt_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
else {
validate276.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate276.errors = vErrors;
return errors === 0;
}
validate276.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const Resource = validate254;

export const ResourceAccessPolicy = validate255;

export const ResourceList = validate277;
const schema120 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/resource_list.schema.json","title":"ResourceList","description":"A page of resources.","type":"object","required":["resources"],"properties":{"resources":{"type":"array","items":{"$ref":"resource.schema.json"}},"cursor":{"type":["string","null"]}},"additionalProperties":false};

function validate277(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/resource_list.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate277.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.resources === undefined) && (missing0 = "resources")){
validate277.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "resources") || (key0 === "cursor"))){
validate277.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.resources !== undefined){
let data0 = data.resources;
const _errs2 = errors;
if(errors === _errs2){
if(Array.isArray(data0)){
var valid1 = true;
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
const _errs4 = errors;
if(!(validate254(data0[i0], {instancePath:instancePath+"/resources/" + i0,parentData:data0,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate254.errors : vErrors.concat(validate254.errors);
errors = vErrors.length;
}
var valid1 = _errs4 === errors;
if(!valid1){
break;
}
}
}
else {
validate277.errors = [{instancePath:instancePath+"/resources",schemaPath:"#/properties/resources/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.cursor !== undefined){
let data2 = data.cursor;
const _errs5 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate277.errors = [{instancePath:instancePath+"/cursor",schemaPath:"#/properties/cursor/type",keyword:"type",params:{type: schema120.properties.cursor.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate277.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate277.errors = vErrors;
return errors === 0;
}
validate277.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ResourceListRequest = validate279;
const schema121 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/resource_list_request.schema.json","title":"ResourceListRequest","description":"Asks for a page of resources.","type":"object","required":[],"properties":{"capability_id":{"type":["string","null"]},"kind":{"type":["string","null"]},"tenant_id":{"type":["string","null"]},"cursor":{"type":["string","null"]},"limit":{"type":["integer","null"],"minimum":0}},"additionalProperties":false};

function validate279(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/resource_list_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate279.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(((((key0 === "capability_id") || (key0 === "kind")) || (key0 === "tenant_id")) || (key0 === "cursor")) || (key0 === "limit"))){
validate279.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.capability_id !== undefined){
let data0 = data.capability_id;
const _errs2 = errors;
if((typeof data0 !== "string") && (data0 !== null)){
validate279.errors = [{instancePath:instancePath+"/capability_id",schemaPath:"#/properties/capability_id/type",keyword:"type",params:{type: schema121.properties.capability_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.kind !== undefined){
let data1 = data.kind;
const _errs4 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate279.errors = [{instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/type",keyword:"type",params:{type: schema121.properties.kind.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tenant_id !== undefined){
let data2 = data.tenant_id;
const _errs6 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate279.errors = [{instancePath:instancePath+"/tenant_id",schemaPath:"#/properties/tenant_id/type",keyword:"type",params:{type: schema121.properties.tenant_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.cursor !== undefined){
let data3 = data.cursor;
const _errs8 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate279.errors = [{instancePath:instancePath+"/cursor",schemaPath:"#/properties/cursor/type",keyword:"type",params:{type: schema121.properties.cursor.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.limit !== undefined){
let data4 = data.limit;
const _errs10 = errors;
if((!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))) && (data4 !== null)){
validate279.errors = [{instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/type",keyword:"type",params:{type: schema121.properties.limit.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs10){
if((typeof data4 == "number") && (isFinite(data4))){
if(data4 < 0 || isNaN(data4)){
validate279.errors = [{instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate279.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate279.errors = vErrors;
return errors === 0;
}
validate279.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ResourceReadRequest = validate280;
const schema122 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/resource_read_request.schema.json","title":"ResourceReadRequest","description":"Asks for the content of a resource.","type":"object","required":["resource_id"],"properties":{"resource_id":{"type":"string"},"tenant_id":{"type":["string","null"]},"version":{"type":["string","null"]},"accept":{"type":"array","items":{"type":"string"}}},"additionalProperties":false};

function validate280(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/resource_read_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate280.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.resource_id === undefined) && (missing0 = "resource_id")){
validate280.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "resource_id") || (key0 === "tenant_id")) || (key0 === "version")) || (key0 === "accept"))){
validate280.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.resource_id !== undefined){
const _errs2 = errors;
if(typeof data.resource_id !== "string"){
validate280.errors = [{instancePath:instancePath+"/resource_id",schemaPath:"#/properties/resource_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tenant_id !== undefined){
let data1 = data.tenant_id;
const _errs4 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate280.errors = [{instancePath:instancePath+"/tenant_id",schemaPath:"#/properties/tenant_id/type",keyword:"type",params:{type: schema122.properties.tenant_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.version !== undefined){
let data2 = data.version;
const _errs6 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate280.errors = [{instancePath:instancePath+"/version",schemaPath:"#/properties/version/type",keyword:"type",params:{type: schema122.properties.version.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.accept !== undefined){
let data3 = data.accept;
const _errs8 = errors;
if(errors === _errs8){
if(Array.isArray(data3)){
var valid1 = true;
const len0 = data3.length;
for(let i0=0; i0<len0; i0++){
const _errs10 = errors;
if(typeof data3[i0] !== "string"){
validate280.errors = [{instancePath:instancePath+"/accept/" + i0,schemaPath:"#/properties/accept/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs10 === errors;
if(!valid1){
break;
}
}
}
else {
validate280.errors = [{instancePath:instancePath+"/accept",schemaPath:"#/properties/accept/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate280.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate280.errors = vErrors;
return errors === 0;
}
validate280.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ResourceReadResult = validate281;
const schema123 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/resource_read_result.schema.json","title":"ResourceReadResult","description":"A resource with its content.","type":"object","required":["resource"],"properties":{"resource":{"$ref":"resource.schema.json"},"content":{"type":"array","items":{"$ref":"message_part.schema.json"}},"etag":{"type":["string","null"]},"expires_at":{"type":["string","null"]}},"additionalProperties":false};

function validate281(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/resource_read_result.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate281.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.resource === undefined) && (missing0 = "resource")){
validate281.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "resource") || (key0 === "content")) || (key0 === "etag")) || (key0 === "expires_at"))){
validate281.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.resource !== undefined){
const _errs2 = errors;
if(!(validate254(data.resource, {instancePath:instancePath+"/resource",parentData:data,parentDataProperty:"resource",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate254.errors : vErrors.concat(validate254.errors);
errors = vErrors.length;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.content !== undefined){
let data1 = data.content;
const _errs3 = errors;
if(errors === _errs3){
if(Array.isArray(data1)){
var valid1 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
const _errs5 = errors;
if(!(validate101(data1[i0], {instancePath:instancePath+"/content/" + i0,parentData:data1,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate101.errors : vErrors.concat(validate101.errors);
errors = vErrors.length;
}
var valid1 = _errs5 === errors;
if(!valid1){
break;
}
}
}
else {
validate281.errors = [{instancePath:instancePath+"/content",schemaPath:"#/properties/content/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.etag !== undefined){
let data3 = data.etag;
const _errs6 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate281.errors = [{instancePath:instancePath+"/etag",schemaPath:"#/properties/etag/type",keyword:"type",params:{type: schema123.properties.etag.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.expires_at !== undefined){
let data4 = data.expires_at;
const _errs8 = errors;
if((typeof data4 !== "string") && (data4 !== null)){
validate281.errors = [{instancePath:instancePath+"/expires_at",schemaPath:"#/properties/expires_at/type",keyword:"type",params:{type: schema123.properties.expires_at.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate281.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate281.errors = vErrors;
return errors === 0;
}
validate281.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const BatchSettlement = validate284;
const schema124 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/batch_settlement.schema.json","title":"BatchSettlement","description":"A settled batch.","type":"object","required":["id","model"],"properties":{"id":{"type":"string"},"model":{"type":"string"},"records":{"type":"array","items":{}}},"additionalProperties":false};

function validate284(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/batch_settlement.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate284.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.id === undefined) && (missing0 = "id")) || ((data.model === undefined) && (missing0 = "model"))){
validate284.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "id") || (key0 === "model")) || (key0 === "records"))){
validate284.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate284.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.model !== undefined){
const _errs4 = errors;
if(typeof data.model !== "string"){
validate284.errors = [{instancePath:instancePath+"/model",schemaPath:"#/properties/model/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.records !== undefined){
const _errs6 = errors;
if(errors === _errs6){
if(!(Array.isArray(data.records))){
validate284.errors = [{instancePath:instancePath+"/records",schemaPath:"#/properties/records/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate284.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate284.errors = vErrors;
return errors === 0;
}
validate284.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const DelegationRequest = validate285;
const schema125 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/delegation_request.schema.json","title":"DelegationRequest","description":"Hands work to another principal.","type":"object","required":["delegation_id","parent_action_id","child_action","requested_by","delegate","scope"],"properties":{"delegation_id":{"type":"string"},"parent_action_id":{"type":"string"},"child_action":{"$ref":"action.schema.json"},"requested_by":{"$ref":"principal.schema.json"},"delegate":{"$ref":"principal.schema.json"},"scope":{"type":"string"},"callback":{"anyOf":[{"$ref":"callback.schema.json"},{"type":"null"}]},"metadata":{}},"additionalProperties":false};

function validate285(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/delegation_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate285.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((((data.delegation_id === undefined) && (missing0 = "delegation_id")) || ((data.parent_action_id === undefined) && (missing0 = "parent_action_id"))) || ((data.child_action === undefined) && (missing0 = "child_action"))) || ((data.requested_by === undefined) && (missing0 = "requested_by"))) || ((data.delegate === undefined) && (missing0 = "delegate"))) || ((data.scope === undefined) && (missing0 = "scope"))){
validate285.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((((((key0 === "delegation_id") || (key0 === "parent_action_id")) || (key0 === "child_action")) || (key0 === "requested_by")) || (key0 === "delegate")) || (key0 === "scope")) || (key0 === "callback")) || (key0 === "metadata"))){
validate285.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.delegation_id !== undefined){
const _errs2 = errors;
if(typeof data.delegation_id !== "string"){
validate285.errors = [{instancePath:instancePath+"/delegation_id",schemaPath:"#/properties/delegation_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.parent_action_id !== undefined){
const _errs4 = errors;
if(typeof data.parent_action_id !== "string"){
validate285.errors = [{instancePath:instancePath+"/parent_action_id",schemaPath:"#/properties/parent_action_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.child_action !== undefined){
const _errs6 = errors;
if(!(validate53(data.child_action, {instancePath:instancePath+"/child_action",parentData:data,parentDataProperty:"child_action",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate53.errors : vErrors.concat(validate53.errors);
errors = vErrors.length;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.requested_by !== undefined){
const _errs7 = errors;
if(!(validate57(data.requested_by, {instancePath:instancePath+"/requested_by",parentData:data,parentDataProperty:"requested_by",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.delegate !== undefined){
const _errs8 = errors;
if(!(validate57(data.delegate, {instancePath:instancePath+"/delegate",parentData:data,parentDataProperty:"delegate",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.scope !== undefined){
const _errs9 = errors;
if(typeof data.scope !== "string"){
validate285.errors = [{instancePath:instancePath+"/scope",schemaPath:"#/properties/scope/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.callback !== undefined){
let data6 = data.callback;
const _errs11 = errors;
const _errs12 = errors;
let valid1 = false;
const _errs13 = errors;
if(!(validate70(data6, {instancePath:instancePath+"/callback",parentData:data,parentDataProperty:"callback",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate70.errors : vErrors.concat(validate70.errors);
errors = vErrors.length;
}
var _valid0 = _errs13 === errors;
valid1 = valid1 || _valid0;
const _errs14 = errors;
if(data6 !== null){
const err0 = {instancePath:instancePath+"/callback",schemaPath:"#/properties/callback/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs14 === errors;
valid1 = valid1 || _valid0;
if(!valid1){
const err1 = {instancePath:instancePath+"/callback",schemaPath:"#/properties/callback/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate285.errors = vErrors;
return false;
}
else {
errors = _errs12;
if(vErrors !== null){
if(_errs12){
vErrors.length = _errs12;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate285.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate285.errors = vErrors;
return errors === 0;
}
validate285.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const DelegationResult = validate290;
const schema126 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/delegation_result.schema.json","title":"DelegationResult","description":"Outcome of a delegation.","type":"object","required":["delegation_id","parent_action_id","child_action_id","status"],"properties":{"delegation_id":{"type":"string"},"parent_action_id":{"type":"string"},"child_action_id":{"type":"string"},"status":{"enum":["accepted","running","completed","failed","cancelled","requires_human"]},"result":{"anyOf":[{"$ref":"action_result.schema.json"},{"type":"null"}]},"error":{"anyOf":[{"$ref":"protocol_error.schema.json"},{"type":"null"}]},"receipt_chain":{"anyOf":[{"$ref":"receipt_chain.schema.json"},{"type":"null"}]},"callback":{}},"additionalProperties":false};

function validate290(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/delegation_result.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate290.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((data.delegation_id === undefined) && (missing0 = "delegation_id")) || ((data.parent_action_id === undefined) && (missing0 = "parent_action_id"))) || ((data.child_action_id === undefined) && (missing0 = "child_action_id"))) || ((data.status === undefined) && (missing0 = "status"))){
validate290.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((((((key0 === "delegation_id") || (key0 === "parent_action_id")) || (key0 === "child_action_id")) || (key0 === "status")) || (key0 === "result")) || (key0 === "error")) || (key0 === "receipt_chain")) || (key0 === "callback"))){
validate290.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.delegation_id !== undefined){
const _errs2 = errors;
if(typeof data.delegation_id !== "string"){
validate290.errors = [{instancePath:instancePath+"/delegation_id",schemaPath:"#/properties/delegation_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.parent_action_id !== undefined){
const _errs4 = errors;
if(typeof data.parent_action_id !== "string"){
validate290.errors = [{instancePath:instancePath+"/parent_action_id",schemaPath:"#/properties/parent_action_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.child_action_id !== undefined){
const _errs6 = errors;
if(typeof data.child_action_id !== "string"){
validate290.errors = [{instancePath:instancePath+"/child_action_id",schemaPath:"#/properties/child_action_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.status !== undefined){
let data3 = data.status;
const _errs8 = errors;
if(!((((((data3 === "accepted") || (data3 === "running")) || (data3 === "completed")) || (data3 === "failed")) || (data3 === "cancelled")) || (data3 === "requires_human"))){
validate290.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/enum",keyword:"enum",params:{allowedValues: schema126.properties.status.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.result !== undefined){
let data4 = data.result;
const _errs9 = errors;
const _errs10 = errors;
let valid1 = false;
const _errs11 = errors;
if(!(validate100(data4, {instancePath:instancePath+"/result",parentData:data,parentDataProperty:"result",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate100.errors : vErrors.concat(validate100.errors);
errors = vErrors.length;
}
var _valid0 = _errs11 === errors;
valid1 = valid1 || _valid0;
const _errs12 = errors;
if(data4 !== null){
const err0 = {instancePath:instancePath+"/result",schemaPath:"#/properties/result/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs12 === errors;
valid1 = valid1 || _valid0;
if(!valid1){
const err1 = {instancePath:instancePath+"/result",schemaPath:"#/properties/result/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate290.errors = vErrors;
return false;
}
else {
errors = _errs10;
if(vErrors !== null){
if(_errs10){
vErrors.length = _errs10;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.error !== undefined){
let data5 = data.error;
const _errs14 = errors;
const _errs15 = errors;
let valid2 = false;
const _errs16 = errors;
if(!(validate107(data5, {instancePath:instancePath+"/error",parentData:data,parentDataProperty:"error",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate107.errors : vErrors.concat(validate107.errors);
errors = vErrors.length;
}
var _valid1 = _errs16 === errors;
valid2 = valid2 || _valid1;
const _errs17 = errors;
if(data5 !== null){
const err2 = {instancePath:instancePath+"/error",schemaPath:"#/properties/error/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
var _valid1 = _errs17 === errors;
valid2 = valid2 || _valid1;
if(!valid2){
const err3 = {instancePath:instancePath+"/error",schemaPath:"#/properties/error/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
validate290.errors = vErrors;
return false;
}
else {
errors = _errs15;
if(vErrors !== null){
if(_errs15){
vErrors.length = _errs15;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.receipt_chain !== undefined){
let data6 = data.receipt_chain;
const _errs19 = errors;
const _errs20 = errors;
let valid3 = false;
const _errs21 = errors;
if(!(validate137(data6, {instancePath:instancePath+"/receipt_chain",parentData:data,parentDataProperty:"receipt_chain",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate137.errors : vErrors.concat(validate137.errors);
errors = vErrors.length;
}
var _valid2 = _errs21 === errors;
valid3 = valid3 || _valid2;
const _errs22 = errors;
if(data6 !== null){
const err4 = {instancePath:instancePath+"/receipt_chain",schemaPath:"#/properties/receipt_chain/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
var _valid2 = _errs22 === errors;
valid3 = valid3 || _valid2;
if(!valid3){
const err5 = {instancePath:instancePath+"/receipt_chain",schemaPath:"#/properties/receipt_chain/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
validate290.errors = vErrors;
return false;
}
else {
errors = _errs20;
if(vErrors !== null){
if(_errs20){
vErrors.length = _errs20;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs19 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate290.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate290.errors = vErrors;
return errors === 0;
}
validate290.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ConnectorCallbackRoute = validate294;
const schema127 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/connector_callback_route.schema.json","title":"ConnectorCallbackRoute","description":"The assigned route, in security of a chunk.","type":"object","required":["action_id","capability_id","tenant_id","instance_id","replica_id","version_id","manifest_digest","catalog_revision","binding_policy_revision","replica_health_revision","fence_token","original_mode"],"properties":{"action_id":{"type":"string"},"capability_id":{"type":"string"},"tenant_id":{"type":"string"},"instance_id":{"type":"string"},"replica_id":{"type":"string"},"version_id":{"type":"string"},"manifest_digest":{"type":"string"},"catalog_revision":{"type":"integer","minimum":0},"binding_policy_revision":{"type":"integer","minimum":0},"credential_revision_ref":{"type":["string","null"]},"quota_policy_ref":{"type":["string","null"]},"replica_health_revision":{"type":"integer","minimum":0},"fence_token":{"type":"string"},"original_mode":{"const":"streaming"}},"additionalProperties":false};

function validate294(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/connector_callback_route.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate294.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((((((((((data.action_id === undefined) && (missing0 = "action_id")) || ((data.capability_id === undefined) && (missing0 = "capability_id"))) || ((data.tenant_id === undefined) && (missing0 = "tenant_id"))) || ((data.instance_id === undefined) && (missing0 = "instance_id"))) || ((data.replica_id === undefined) && (missing0 = "replica_id"))) || ((data.version_id === undefined) && (missing0 = "version_id"))) || ((data.manifest_digest === undefined) && (missing0 = "manifest_digest"))) || ((data.catalog_revision === undefined) && (missing0 = "catalog_revision"))) || ((data.binding_policy_revision === undefined) && (missing0 = "binding_policy_revision"))) || ((data.replica_health_revision === undefined) && (missing0 = "replica_health_revision"))) || ((data.fence_token === undefined) && (missing0 = "fence_token"))) || ((data.original_mode === undefined) && (missing0 = "original_mode"))){
validate294.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema127.properties, key0))){
validate294.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.action_id !== undefined){
const _errs2 = errors;
if(typeof data.action_id !== "string"){
validate294.errors = [{instancePath:instancePath+"/action_id",schemaPath:"#/properties/action_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.capability_id !== undefined){
const _errs4 = errors;
if(typeof data.capability_id !== "string"){
validate294.errors = [{instancePath:instancePath+"/capability_id",schemaPath:"#/properties/capability_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tenant_id !== undefined){
const _errs6 = errors;
if(typeof data.tenant_id !== "string"){
validate294.errors = [{instancePath:instancePath+"/tenant_id",schemaPath:"#/properties/tenant_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.instance_id !== undefined){
const _errs8 = errors;
if(typeof data.instance_id !== "string"){
validate294.errors = [{instancePath:instancePath+"/instance_id",schemaPath:"#/properties/instance_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.replica_id !== undefined){
const _errs10 = errors;
if(typeof data.replica_id !== "string"){
validate294.errors = [{instancePath:instancePath+"/replica_id",schemaPath:"#/properties/replica_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.version_id !== undefined){
const _errs12 = errors;
if(typeof data.version_id !== "string"){
validate294.errors = [{instancePath:instancePath+"/version_id",schemaPath:"#/properties/version_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.manifest_digest !== undefined){
const _errs14 = errors;
if(typeof data.manifest_digest !== "string"){
validate294.errors = [{instancePath:instancePath+"/manifest_digest",schemaPath:"#/properties/manifest_digest/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.catalog_revision !== undefined){
let data7 = data.catalog_revision;
const _errs16 = errors;
if(!(((typeof data7 == "number") && (!(data7 % 1) && !isNaN(data7))) && (isFinite(data7)))){
validate294.errors = [{instancePath:instancePath+"/catalog_revision",schemaPath:"#/properties/catalog_revision/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs16){
if((typeof data7 == "number") && (isFinite(data7))){
if(data7 < 0 || isNaN(data7)){
validate294.errors = [{instancePath:instancePath+"/catalog_revision",schemaPath:"#/properties/catalog_revision/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs16 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.binding_policy_revision !== undefined){
let data8 = data.binding_policy_revision;
const _errs18 = errors;
if(!(((typeof data8 == "number") && (!(data8 % 1) && !isNaN(data8))) && (isFinite(data8)))){
validate294.errors = [{instancePath:instancePath+"/binding_policy_revision",schemaPath:"#/properties/binding_policy_revision/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs18){
if((typeof data8 == "number") && (isFinite(data8))){
if(data8 < 0 || isNaN(data8)){
validate294.errors = [{instancePath:instancePath+"/binding_policy_revision",schemaPath:"#/properties/binding_policy_revision/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs18 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.credential_revision_ref !== undefined){
let data9 = data.credential_revision_ref;
const _errs20 = errors;
if((typeof data9 !== "string") && (data9 !== null)){
validate294.errors = [{instancePath:instancePath+"/credential_revision_ref",schemaPath:"#/properties/credential_revision_ref/type",keyword:"type",params:{type: schema127.properties.credential_revision_ref.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs20 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.quota_policy_ref !== undefined){
let data10 = data.quota_policy_ref;
const _errs22 = errors;
if((typeof data10 !== "string") && (data10 !== null)){
validate294.errors = [{instancePath:instancePath+"/quota_policy_ref",schemaPath:"#/properties/quota_policy_ref/type",keyword:"type",params:{type: schema127.properties.quota_policy_ref.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs22 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.replica_health_revision !== undefined){
let data11 = data.replica_health_revision;
const _errs24 = errors;
if(!(((typeof data11 == "number") && (!(data11 % 1) && !isNaN(data11))) && (isFinite(data11)))){
validate294.errors = [{instancePath:instancePath+"/replica_health_revision",schemaPath:"#/properties/replica_health_revision/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs24){
if((typeof data11 == "number") && (isFinite(data11))){
if(data11 < 0 || isNaN(data11)){
validate294.errors = [{instancePath:instancePath+"/replica_health_revision",schemaPath:"#/properties/replica_health_revision/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs24 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.fence_token !== undefined){
const _errs26 = errors;
if(typeof data.fence_token !== "string"){
validate294.errors = [{instancePath:instancePath+"/fence_token",schemaPath:"#/properties/fence_token/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs26 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.original_mode !== undefined){
const _errs28 = errors;
if("streaming" !== data.original_mode){
validate294.errors = [{instancePath:instancePath+"/original_mode",schemaPath:"#/properties/original_mode/const",keyword:"const",params:{allowedValue: "streaming"},message:"must be equal to constant"}];
return false;
}
var valid0 = _errs28 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate294.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate294.errors = vErrors;
return errors === 0;
}
validate294.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ConnectorEventRoute = validate295;
const schema128 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/connector_event_route.schema.json","title":"ConnectorEventRoute","description":"Where a provider event comes from.","type":"object","required":["tenant_id","instance_id","replica_id","version_id","manifest_digest","lease_sequence","channel_id"],"properties":{"tenant_id":{"type":"string"},"instance_id":{"type":"string"},"replica_id":{"type":"string"},"version_id":{"type":"string"},"manifest_digest":{"type":"string"},"lease_sequence":{"type":"integer","minimum":0},"channel_id":{"type":"string"}},"additionalProperties":false};

function validate295(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/connector_event_route.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate295.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((((((data.tenant_id === undefined) && (missing0 = "tenant_id")) || ((data.instance_id === undefined) && (missing0 = "instance_id"))) || ((data.replica_id === undefined) && (missing0 = "replica_id"))) || ((data.version_id === undefined) && (missing0 = "version_id"))) || ((data.manifest_digest === undefined) && (missing0 = "manifest_digest"))) || ((data.lease_sequence === undefined) && (missing0 = "lease_sequence"))) || ((data.channel_id === undefined) && (missing0 = "channel_id"))){
validate295.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((((key0 === "tenant_id") || (key0 === "instance_id")) || (key0 === "replica_id")) || (key0 === "version_id")) || (key0 === "manifest_digest")) || (key0 === "lease_sequence")) || (key0 === "channel_id"))){
validate295.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.tenant_id !== undefined){
const _errs2 = errors;
if(typeof data.tenant_id !== "string"){
validate295.errors = [{instancePath:instancePath+"/tenant_id",schemaPath:"#/properties/tenant_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.instance_id !== undefined){
const _errs4 = errors;
if(typeof data.instance_id !== "string"){
validate295.errors = [{instancePath:instancePath+"/instance_id",schemaPath:"#/properties/instance_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.replica_id !== undefined){
const _errs6 = errors;
if(typeof data.replica_id !== "string"){
validate295.errors = [{instancePath:instancePath+"/replica_id",schemaPath:"#/properties/replica_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.version_id !== undefined){
const _errs8 = errors;
if(typeof data.version_id !== "string"){
validate295.errors = [{instancePath:instancePath+"/version_id",schemaPath:"#/properties/version_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.manifest_digest !== undefined){
const _errs10 = errors;
if(typeof data.manifest_digest !== "string"){
validate295.errors = [{instancePath:instancePath+"/manifest_digest",schemaPath:"#/properties/manifest_digest/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.lease_sequence !== undefined){
let data5 = data.lease_sequence;
const _errs12 = errors;
if(!(((typeof data5 == "number") && (!(data5 % 1) && !isNaN(data5))) && (isFinite(data5)))){
validate295.errors = [{instancePath:instancePath+"/lease_sequence",schemaPath:"#/properties/lease_sequence/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs12){
if((typeof data5 == "number") && (isFinite(data5))){
if(data5 < 0 || isNaN(data5)){
validate295.errors = [{instancePath:instancePath+"/lease_sequence",schemaPath:"#/properties/lease_sequence/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.channel_id !== undefined){
const _errs14 = errors;
if(typeof data.channel_id !== "string"){
validate295.errors = [{instancePath:instancePath+"/channel_id",schemaPath:"#/properties/channel_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate295.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate295.errors = vErrors;
return errors === 0;
}
validate295.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ConnectorHostRegistration = validate296;
const schema129 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/connector_host_registration.schema.json","title":"ConnectorHostRegistration","description":"What a host proposes to register.","type":"object","required":["replica","manifest_digest","artifact_digest","tenant_id","config_revision","secret_provider_ref","capability_count"],"properties":{"replica":{"$ref":"replica_record.schema.json"},"manifest_digest":{"type":"string"},"artifact_digest":{"type":"string"},"tenant_id":{"type":"string"},"config_revision":{"type":"integer","minimum":0},"secret_provider_ref":{"type":"string"},"capability_count":{"type":"integer","minimum":0}},"additionalProperties":false};
const schema130 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/replica_record.schema.json","title":"ReplicaRecord","description":"One connector host process as the registry knows it.","type":"object","required":["id","instance_id","version_id","endpoint","peer_principal_id","peer_principal_kind","peer_did","trust_domain","transport_profile","status","lease_expires_at","capacity","active_assignments","health_revision"],"properties":{"id":{"type":"string"},"instance_id":{"type":"string"},"version_id":{"type":"string"},"endpoint":{"type":"string"},"peer_principal_id":{"type":"string"},"peer_principal_kind":{"enum":["human","agent","service","tenant","customer","contact","system"]},"peer_did":{"type":"string"},"trust_domain":{"type":"string"},"transport_profile":{"type":"string"},"topology":{"anyOf":[{"$ref":"topology.schema.json"},{"type":"null"}]},"status":{"enum":["ready","draining","offline"]},"lease_expires_at":{"type":"array","items":{"type":"integer"},"minItems":9,"maxItems":9},"capacity":{"type":"integer","minimum":0},"active_assignments":{"type":"integer","minimum":0},"health_revision":{"type":"integer","minimum":0},"last_control_request_id":{"type":["string","null"]},"last_control_request_digest":{"type":["string","null"]}},"additionalProperties":false};
const schema131 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/topology.schema.json","title":"Topology","description":"Where a replica runs.","type":"object","required":["region","zone","capacity_class"],"properties":{"region":{"type":"string"},"zone":{"type":"string"},"capacity_class":{"type":"string"}},"additionalProperties":false};

function validate298(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/topology.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate298.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.region === undefined) && (missing0 = "region")) || ((data.zone === undefined) && (missing0 = "zone"))) || ((data.capacity_class === undefined) && (missing0 = "capacity_class"))){
validate298.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "region") || (key0 === "zone")) || (key0 === "capacity_class"))){
validate298.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.region !== undefined){
const _errs2 = errors;
if(typeof data.region !== "string"){
validate298.errors = [{instancePath:instancePath+"/region",schemaPath:"#/properties/region/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.zone !== undefined){
const _errs4 = errors;
if(typeof data.zone !== "string"){
validate298.errors = [{instancePath:instancePath+"/zone",schemaPath:"#/properties/zone/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.capacity_class !== undefined){
const _errs6 = errors;
if(typeof data.capacity_class !== "string"){
validate298.errors = [{instancePath:instancePath+"/capacity_class",schemaPath:"#/properties/capacity_class/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate298.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate298.errors = vErrors;
return errors === 0;
}
validate298.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate297(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/replica_record.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate297.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((((((((((((data.id === undefined) && (missing0 = "id")) || ((data.instance_id === undefined) && (missing0 = "instance_id"))) || ((data.version_id === undefined) && (missing0 = "version_id"))) || ((data.endpoint === undefined) && (missing0 = "endpoint"))) || ((data.peer_principal_id === undefined) && (missing0 = "peer_principal_id"))) || ((data.peer_principal_kind === undefined) && (missing0 = "peer_principal_kind"))) || ((data.peer_did === undefined) && (missing0 = "peer_did"))) || ((data.trust_domain === undefined) && (missing0 = "trust_domain"))) || ((data.transport_profile === undefined) && (missing0 = "transport_profile"))) || ((data.status === undefined) && (missing0 = "status"))) || ((data.lease_expires_at === undefined) && (missing0 = "lease_expires_at"))) || ((data.capacity === undefined) && (missing0 = "capacity"))) || ((data.active_assignments === undefined) && (missing0 = "active_assignments"))) || ((data.health_revision === undefined) && (missing0 = "health_revision"))){
validate297.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema130.properties, key0))){
validate297.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate297.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.instance_id !== undefined){
const _errs4 = errors;
if(typeof data.instance_id !== "string"){
validate297.errors = [{instancePath:instancePath+"/instance_id",schemaPath:"#/properties/instance_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.version_id !== undefined){
const _errs6 = errors;
if(typeof data.version_id !== "string"){
validate297.errors = [{instancePath:instancePath+"/version_id",schemaPath:"#/properties/version_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.endpoint !== undefined){
const _errs8 = errors;
if(typeof data.endpoint !== "string"){
validate297.errors = [{instancePath:instancePath+"/endpoint",schemaPath:"#/properties/endpoint/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.peer_principal_id !== undefined){
const _errs10 = errors;
if(typeof data.peer_principal_id !== "string"){
validate297.errors = [{instancePath:instancePath+"/peer_principal_id",schemaPath:"#/properties/peer_principal_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.peer_principal_kind !== undefined){
let data5 = data.peer_principal_kind;
const _errs12 = errors;
if(!(((((((data5 === "human") || (data5 === "agent")) || (data5 === "service")) || (data5 === "tenant")) || (data5 === "customer")) || (data5 === "contact")) || (data5 === "system"))){
validate297.errors = [{instancePath:instancePath+"/peer_principal_kind",schemaPath:"#/properties/peer_principal_kind/enum",keyword:"enum",params:{allowedValues: schema130.properties.peer_principal_kind.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.peer_did !== undefined){
const _errs13 = errors;
if(typeof data.peer_did !== "string"){
validate297.errors = [{instancePath:instancePath+"/peer_did",schemaPath:"#/properties/peer_did/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.trust_domain !== undefined){
const _errs15 = errors;
if(typeof data.trust_domain !== "string"){
validate297.errors = [{instancePath:instancePath+"/trust_domain",schemaPath:"#/properties/trust_domain/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.transport_profile !== undefined){
const _errs17 = errors;
if(typeof data.transport_profile !== "string"){
validate297.errors = [{instancePath:instancePath+"/transport_profile",schemaPath:"#/properties/transport_profile/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.topology !== undefined){
let data9 = data.topology;
const _errs19 = errors;
const _errs20 = errors;
let valid1 = false;
const _errs21 = errors;
if(!(validate298(data9, {instancePath:instancePath+"/topology",parentData:data,parentDataProperty:"topology",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate298.errors : vErrors.concat(validate298.errors);
errors = vErrors.length;
}
var _valid0 = _errs21 === errors;
valid1 = valid1 || _valid0;
const _errs22 = errors;
if(data9 !== null){
const err0 = {instancePath:instancePath+"/topology",schemaPath:"#/properties/topology/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs22 === errors;
valid1 = valid1 || _valid0;
if(!valid1){
const err1 = {instancePath:instancePath+"/topology",schemaPath:"#/properties/topology/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate297.errors = vErrors;
return false;
}
else {
errors = _errs20;
if(vErrors !== null){
if(_errs20){
vErrors.length = _errs20;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs19 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.status !== undefined){
let data10 = data.status;
const _errs24 = errors;
if(!(((data10 === "ready") || (data10 === "draining")) || (data10 === "offline"))){
validate297.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/enum",keyword:"enum",params:{allowedValues: schema130.properties.status.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs24 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.lease_expires_at !== undefined){
let data11 = data.lease_expires_at;
const _errs25 = errors;
if(errors === _errs25){
if(Array.isArray(data11)){
if(data11.length > 9){
validate297.errors = [{instancePath:instancePath+"/lease_expires_at",schemaPath:"#/properties/lease_expires_at/maxItems",keyword:"maxItems",params:{limit: 9},message:"must NOT have more than 9 items"}];
return false;
}
else {
if(data11.length < 9){
validate297.errors = [{instancePath:instancePath+"/lease_expires_at",schemaPath:"#/properties/lease_expires_at/minItems",keyword:"minItems",params:{limit: 9},message:"must NOT have fewer than 9 items"}];
return false;
}
else {
var valid2 = true;
const len0 = data11.length;
for(let i0=0; i0<len0; i0++){
let data12 = data11[i0];
const _errs27 = errors;
if(!(((typeof data12 == "number") && (!(data12 % 1) && !isNaN(data12))) && (isFinite(data12)))){
validate297.errors = [{instancePath:instancePath+"/lease_expires_at/" + i0,schemaPath:"#/properties/lease_expires_at/items/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
var valid2 = _errs27 === errors;
if(!valid2){
break;
}
}
}
}
}
else {
validate297.errors = [{instancePath:instancePath+"/lease_expires_at",schemaPath:"#/properties/lease_expires_at/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs25 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.capacity !== undefined){
let data13 = data.capacity;
const _errs29 = errors;
if(!(((typeof data13 == "number") && (!(data13 % 1) && !isNaN(data13))) && (isFinite(data13)))){
validate297.errors = [{instancePath:instancePath+"/capacity",schemaPath:"#/properties/capacity/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs29){
if((typeof data13 == "number") && (isFinite(data13))){
if(data13 < 0 || isNaN(data13)){
validate297.errors = [{instancePath:instancePath+"/capacity",schemaPath:"#/properties/capacity/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs29 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.active_assignments !== undefined){
let data14 = data.active_assignments;
const _errs31 = errors;
if(!(((typeof data14 == "number") && (!(data14 % 1) && !isNaN(data14))) && (isFinite(data14)))){
validate297.errors = [{instancePath:instancePath+"/active_assignments",schemaPath:"#/properties/active_assignments/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs31){
if((typeof data14 == "number") && (isFinite(data14))){
if(data14 < 0 || isNaN(data14)){
validate297.errors = [{instancePath:instancePath+"/active_assignments",schemaPath:"#/properties/active_assignments/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs31 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.health_revision !== undefined){
let data15 = data.health_revision;
const _errs33 = errors;
if(!(((typeof data15 == "number") && (!(data15 % 1) && !isNaN(data15))) && (isFinite(data15)))){
validate297.errors = [{instancePath:instancePath+"/health_revision",schemaPath:"#/properties/health_revision/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs33){
if((typeof data15 == "number") && (isFinite(data15))){
if(data15 < 0 || isNaN(data15)){
validate297.errors = [{instancePath:instancePath+"/health_revision",schemaPath:"#/properties/health_revision/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs33 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.last_control_request_id !== undefined){
let data16 = data.last_control_request_id;
const _errs35 = errors;
if((typeof data16 !== "string") && (data16 !== null)){
validate297.errors = [{instancePath:instancePath+"/last_control_request_id",schemaPath:"#/properties/last_control_request_id/type",keyword:"type",params:{type: schema130.properties.last_control_request_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs35 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.last_control_request_digest !== undefined){
let data17 = data.last_control_request_digest;
const _errs37 = errors;
if((typeof data17 !== "string") && (data17 !== null)){
validate297.errors = [{instancePath:instancePath+"/last_control_request_digest",schemaPath:"#/properties/last_control_request_digest/type",keyword:"type",params:{type: schema130.properties.last_control_request_digest.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs37 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate297.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate297.errors = vErrors;
return errors === 0;
}
validate297.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate296(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/connector_host_registration.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate296.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((((((data.replica === undefined) && (missing0 = "replica")) || ((data.manifest_digest === undefined) && (missing0 = "manifest_digest"))) || ((data.artifact_digest === undefined) && (missing0 = "artifact_digest"))) || ((data.tenant_id === undefined) && (missing0 = "tenant_id"))) || ((data.config_revision === undefined) && (missing0 = "config_revision"))) || ((data.secret_provider_ref === undefined) && (missing0 = "secret_provider_ref"))) || ((data.capability_count === undefined) && (missing0 = "capability_count"))){
validate296.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((((key0 === "replica") || (key0 === "manifest_digest")) || (key0 === "artifact_digest")) || (key0 === "tenant_id")) || (key0 === "config_revision")) || (key0 === "secret_provider_ref")) || (key0 === "capability_count"))){
validate296.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.replica !== undefined){
const _errs2 = errors;
if(!(validate297(data.replica, {instancePath:instancePath+"/replica",parentData:data,parentDataProperty:"replica",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate297.errors : vErrors.concat(validate297.errors);
errors = vErrors.length;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.manifest_digest !== undefined){
const _errs3 = errors;
if(typeof data.manifest_digest !== "string"){
validate296.errors = [{instancePath:instancePath+"/manifest_digest",schemaPath:"#/properties/manifest_digest/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.artifact_digest !== undefined){
const _errs5 = errors;
if(typeof data.artifact_digest !== "string"){
validate296.errors = [{instancePath:instancePath+"/artifact_digest",schemaPath:"#/properties/artifact_digest/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tenant_id !== undefined){
const _errs7 = errors;
if(typeof data.tenant_id !== "string"){
validate296.errors = [{instancePath:instancePath+"/tenant_id",schemaPath:"#/properties/tenant_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.config_revision !== undefined){
let data4 = data.config_revision;
const _errs9 = errors;
if(!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))){
validate296.errors = [{instancePath:instancePath+"/config_revision",schemaPath:"#/properties/config_revision/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs9){
if((typeof data4 == "number") && (isFinite(data4))){
if(data4 < 0 || isNaN(data4)){
validate296.errors = [{instancePath:instancePath+"/config_revision",schemaPath:"#/properties/config_revision/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.secret_provider_ref !== undefined){
const _errs11 = errors;
if(typeof data.secret_provider_ref !== "string"){
validate296.errors = [{instancePath:instancePath+"/secret_provider_ref",schemaPath:"#/properties/secret_provider_ref/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.capability_count !== undefined){
let data6 = data.capability_count;
const _errs13 = errors;
if(!(((typeof data6 == "number") && (!(data6 % 1) && !isNaN(data6))) && (isFinite(data6)))){
validate296.errors = [{instancePath:instancePath+"/capability_count",schemaPath:"#/properties/capability_count/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs13){
if((typeof data6 == "number") && (isFinite(data6))){
if(data6 < 0 || isNaN(data6)){
validate296.errors = [{instancePath:instancePath+"/capability_count",schemaPath:"#/properties/capability_count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate296.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate296.errors = vErrors;
return errors === 0;
}
validate296.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ConnectorRoute = validate301;
const schema132 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/connector_route.schema.json","title":"ConnectorRoute","description":"The pinned route of an action, in security of the dispatch.","type":"object","required":["action_id","capability_id","tenant_id","instance_id","replica_id","version_id","manifest_digest","catalog_revision","binding_policy_revision","replica_health_revision","fence_token"],"properties":{"action_id":{"type":"string"},"capability_id":{"type":"string"},"tenant_id":{"type":"string"},"instance_id":{"type":"string"},"replica_id":{"type":"string"},"version_id":{"type":"string"},"manifest_digest":{"type":"string"},"catalog_revision":{"type":"integer","minimum":0},"binding_policy_revision":{"type":"integer","minimum":0},"credential_revision_ref":{"type":["string","null"]},"quota_policy_ref":{"type":["string","null"]},"replica_health_revision":{"type":"integer","minimum":0},"fence_token":{"type":"string"},"original_mode":{"enum":["sync","async","streaming",null]},"approval_authorization":{}}};

function validate301(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/connector_route.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate301.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((((((((((data.action_id === undefined) && (missing0 = "action_id")) || ((data.capability_id === undefined) && (missing0 = "capability_id"))) || ((data.tenant_id === undefined) && (missing0 = "tenant_id"))) || ((data.instance_id === undefined) && (missing0 = "instance_id"))) || ((data.replica_id === undefined) && (missing0 = "replica_id"))) || ((data.version_id === undefined) && (missing0 = "version_id"))) || ((data.manifest_digest === undefined) && (missing0 = "manifest_digest"))) || ((data.catalog_revision === undefined) && (missing0 = "catalog_revision"))) || ((data.binding_policy_revision === undefined) && (missing0 = "binding_policy_revision"))) || ((data.replica_health_revision === undefined) && (missing0 = "replica_health_revision"))) || ((data.fence_token === undefined) && (missing0 = "fence_token"))){
validate301.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
if(data.action_id !== undefined){
const _errs1 = errors;
if(typeof data.action_id !== "string"){
validate301.errors = [{instancePath:instancePath+"/action_id",schemaPath:"#/properties/action_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs1 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.capability_id !== undefined){
const _errs3 = errors;
if(typeof data.capability_id !== "string"){
validate301.errors = [{instancePath:instancePath+"/capability_id",schemaPath:"#/properties/capability_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tenant_id !== undefined){
const _errs5 = errors;
if(typeof data.tenant_id !== "string"){
validate301.errors = [{instancePath:instancePath+"/tenant_id",schemaPath:"#/properties/tenant_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.instance_id !== undefined){
const _errs7 = errors;
if(typeof data.instance_id !== "string"){
validate301.errors = [{instancePath:instancePath+"/instance_id",schemaPath:"#/properties/instance_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.replica_id !== undefined){
const _errs9 = errors;
if(typeof data.replica_id !== "string"){
validate301.errors = [{instancePath:instancePath+"/replica_id",schemaPath:"#/properties/replica_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.version_id !== undefined){
const _errs11 = errors;
if(typeof data.version_id !== "string"){
validate301.errors = [{instancePath:instancePath+"/version_id",schemaPath:"#/properties/version_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.manifest_digest !== undefined){
const _errs13 = errors;
if(typeof data.manifest_digest !== "string"){
validate301.errors = [{instancePath:instancePath+"/manifest_digest",schemaPath:"#/properties/manifest_digest/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.catalog_revision !== undefined){
let data7 = data.catalog_revision;
const _errs15 = errors;
if(!(((typeof data7 == "number") && (!(data7 % 1) && !isNaN(data7))) && (isFinite(data7)))){
validate301.errors = [{instancePath:instancePath+"/catalog_revision",schemaPath:"#/properties/catalog_revision/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs15){
if((typeof data7 == "number") && (isFinite(data7))){
if(data7 < 0 || isNaN(data7)){
validate301.errors = [{instancePath:instancePath+"/catalog_revision",schemaPath:"#/properties/catalog_revision/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.binding_policy_revision !== undefined){
let data8 = data.binding_policy_revision;
const _errs17 = errors;
if(!(((typeof data8 == "number") && (!(data8 % 1) && !isNaN(data8))) && (isFinite(data8)))){
validate301.errors = [{instancePath:instancePath+"/binding_policy_revision",schemaPath:"#/properties/binding_policy_revision/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs17){
if((typeof data8 == "number") && (isFinite(data8))){
if(data8 < 0 || isNaN(data8)){
validate301.errors = [{instancePath:instancePath+"/binding_policy_revision",schemaPath:"#/properties/binding_policy_revision/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.credential_revision_ref !== undefined){
let data9 = data.credential_revision_ref;
const _errs19 = errors;
if((typeof data9 !== "string") && (data9 !== null)){
validate301.errors = [{instancePath:instancePath+"/credential_revision_ref",schemaPath:"#/properties/credential_revision_ref/type",keyword:"type",params:{type: schema132.properties.credential_revision_ref.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs19 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.quota_policy_ref !== undefined){
let data10 = data.quota_policy_ref;
const _errs21 = errors;
if((typeof data10 !== "string") && (data10 !== null)){
validate301.errors = [{instancePath:instancePath+"/quota_policy_ref",schemaPath:"#/properties/quota_policy_ref/type",keyword:"type",params:{type: schema132.properties.quota_policy_ref.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs21 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.replica_health_revision !== undefined){
let data11 = data.replica_health_revision;
const _errs23 = errors;
if(!(((typeof data11 == "number") && (!(data11 % 1) && !isNaN(data11))) && (isFinite(data11)))){
validate301.errors = [{instancePath:instancePath+"/replica_health_revision",schemaPath:"#/properties/replica_health_revision/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs23){
if((typeof data11 == "number") && (isFinite(data11))){
if(data11 < 0 || isNaN(data11)){
validate301.errors = [{instancePath:instancePath+"/replica_health_revision",schemaPath:"#/properties/replica_health_revision/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs23 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.fence_token !== undefined){
const _errs25 = errors;
if(typeof data.fence_token !== "string"){
validate301.errors = [{instancePath:instancePath+"/fence_token",schemaPath:"#/properties/fence_token/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs25 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.original_mode !== undefined){
let data13 = data.original_mode;
const _errs27 = errors;
if(!((((data13 === "sync") || (data13 === "async")) || (data13 === "streaming")) || (data13 === null))){
validate301.errors = [{instancePath:instancePath+"/original_mode",schemaPath:"#/properties/original_mode/enum",keyword:"enum",params:{allowedValues: schema132.properties.original_mode.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs27 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate301.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate301.errors = vErrors;
return errors === 0;
}
validate301.evaluated = {"props":{"action_id":true,"capability_id":true,"tenant_id":true,"instance_id":true,"replica_id":true,"version_id":true,"manifest_digest":true,"catalog_revision":true,"binding_policy_revision":true,"credential_revision_ref":true,"quota_policy_ref":true,"replica_health_revision":true,"fence_token":true,"original_mode":true,"approval_authorization":true},"dynamicProps":false,"dynamicItems":false};

export const FenceCommand = validate302;
const schema133 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/fence_command.schema.json","title":"FenceCommand","description":"Drains a replica or takes it offline.","type":"object","required":["replica_id","previous_sequence"],"properties":{"replica_id":{"type":"string"},"previous_sequence":{"type":"integer","minimum":0}},"additionalProperties":false};

function validate302(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/fence_command.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate302.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.replica_id === undefined) && (missing0 = "replica_id")) || ((data.previous_sequence === undefined) && (missing0 = "previous_sequence"))){
validate302.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "replica_id") || (key0 === "previous_sequence"))){
validate302.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.replica_id !== undefined){
const _errs2 = errors;
if(typeof data.replica_id !== "string"){
validate302.errors = [{instancePath:instancePath+"/replica_id",schemaPath:"#/properties/replica_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.previous_sequence !== undefined){
let data1 = data.previous_sequence;
const _errs4 = errors;
if(!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))){
validate302.errors = [{instancePath:instancePath+"/previous_sequence",schemaPath:"#/properties/previous_sequence/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs4){
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 < 0 || isNaN(data1)){
validate302.errors = [{instancePath:instancePath+"/previous_sequence",schemaPath:"#/properties/previous_sequence/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate302.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate302.errors = vErrors;
return errors === 0;
}
validate302.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const HeartbeatCommand = validate303;
const schema134 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/heartbeat_command.schema.json","title":"HeartbeatCommand","description":"Renews a lease.","type":"object","required":["replica_id","previous_sequence","in_flight","connector_ready"],"properties":{"replica_id":{"type":"string"},"previous_sequence":{"type":"integer","minimum":0},"in_flight":{"type":"integer","minimum":0},"connector_ready":{"type":"boolean"}},"additionalProperties":false};

function validate303(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/heartbeat_command.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate303.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((data.replica_id === undefined) && (missing0 = "replica_id")) || ((data.previous_sequence === undefined) && (missing0 = "previous_sequence"))) || ((data.in_flight === undefined) && (missing0 = "in_flight"))) || ((data.connector_ready === undefined) && (missing0 = "connector_ready"))){
validate303.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "replica_id") || (key0 === "previous_sequence")) || (key0 === "in_flight")) || (key0 === "connector_ready"))){
validate303.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.replica_id !== undefined){
const _errs2 = errors;
if(typeof data.replica_id !== "string"){
validate303.errors = [{instancePath:instancePath+"/replica_id",schemaPath:"#/properties/replica_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.previous_sequence !== undefined){
let data1 = data.previous_sequence;
const _errs4 = errors;
if(!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))){
validate303.errors = [{instancePath:instancePath+"/previous_sequence",schemaPath:"#/properties/previous_sequence/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs4){
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 < 0 || isNaN(data1)){
validate303.errors = [{instancePath:instancePath+"/previous_sequence",schemaPath:"#/properties/previous_sequence/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.in_flight !== undefined){
let data2 = data.in_flight;
const _errs6 = errors;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
validate303.errors = [{instancePath:instancePath+"/in_flight",schemaPath:"#/properties/in_flight/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs6){
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 < 0 || isNaN(data2)){
validate303.errors = [{instancePath:instancePath+"/in_flight",schemaPath:"#/properties/in_flight/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.connector_ready !== undefined){
const _errs8 = errors;
if(typeof data.connector_ready !== "boolean"){
validate303.errors = [{instancePath:instancePath+"/connector_ready",schemaPath:"#/properties/connector_ready/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate303.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate303.errors = vErrors;
return errors === 0;
}
validate303.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const Lease = validate304;
const schema135 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/lease.schema.json","title":"Lease","description":"A lease: its fence and end.","type":"object","required":["sequence","expires_at"],"properties":{"sequence":{"type":"integer","minimum":0},"expires_at":{"type":"array","items":{"type":"integer"},"minItems":9,"maxItems":9}},"additionalProperties":false};

function validate304(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/lease.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate304.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.sequence === undefined) && (missing0 = "sequence")) || ((data.expires_at === undefined) && (missing0 = "expires_at"))){
validate304.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "sequence") || (key0 === "expires_at"))){
validate304.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.sequence !== undefined){
let data0 = data.sequence;
const _errs2 = errors;
if(!(((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0))) && (isFinite(data0)))){
validate304.errors = [{instancePath:instancePath+"/sequence",schemaPath:"#/properties/sequence/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs2){
if((typeof data0 == "number") && (isFinite(data0))){
if(data0 < 0 || isNaN(data0)){
validate304.errors = [{instancePath:instancePath+"/sequence",schemaPath:"#/properties/sequence/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.expires_at !== undefined){
let data1 = data.expires_at;
const _errs4 = errors;
if(errors === _errs4){
if(Array.isArray(data1)){
if(data1.length > 9){
validate304.errors = [{instancePath:instancePath+"/expires_at",schemaPath:"#/properties/expires_at/maxItems",keyword:"maxItems",params:{limit: 9},message:"must NOT have more than 9 items"}];
return false;
}
else {
if(data1.length < 9){
validate304.errors = [{instancePath:instancePath+"/expires_at",schemaPath:"#/properties/expires_at/minItems",keyword:"minItems",params:{limit: 9},message:"must NOT have fewer than 9 items"}];
return false;
}
else {
var valid1 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
let data2 = data1[i0];
const _errs6 = errors;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
validate304.errors = [{instancePath:instancePath+"/expires_at/" + i0,schemaPath:"#/properties/expires_at/items/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
var valid1 = _errs6 === errors;
if(!valid1){
break;
}
}
}
}
}
else {
validate304.errors = [{instancePath:instancePath+"/expires_at",schemaPath:"#/properties/expires_at/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate304.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate304.errors = vErrors;
return errors === 0;
}
validate304.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const LifecycleCommand = validate305;
const schema136 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/lifecycle_command.schema.json","title":"LifecycleCommand","description":"A lifecycle transition.","type":"object","required":["operation"],"oneOf":[{"type":"object","required":["operation","payload"],"properties":{"operation":{"const":"register"},"payload":{"$ref":"connector_host_registration.schema.json"}},"additionalProperties":false},{"type":"object","required":["operation","payload"],"properties":{"operation":{"const":"heartbeat"},"payload":{"$ref":"heartbeat_command.schema.json"}},"additionalProperties":false},{"type":"object","required":["operation","payload"],"properties":{"operation":{"const":"drain"},"payload":{"$ref":"fence_command.schema.json"}},"additionalProperties":false},{"type":"object","required":["operation","payload"],"properties":{"operation":{"const":"offline"},"payload":{"$ref":"fence_command.schema.json"}},"additionalProperties":false}],"discriminator":{"propertyName":"operation"}};

function validate305(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/lifecycle_command.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate305.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.operation === undefined) && (missing0 = "operation")){
validate305.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const tag0 = data.operation;
if(typeof tag0 == "string"){
if(tag0 === "register"){
const _errs2 = errors;
if(errors === _errs2){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing1;
if(((data.operation === undefined) && (missing1 = "operation")) || ((data.payload === undefined) && (missing1 = "payload"))){
validate305.errors = [{instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}
else {
const _errs4 = errors;
for(const key0 in data){
if(!((key0 === "operation") || (key0 === "payload"))){
validate305.errors = [{instancePath,schemaPath:"#/oneOf/0/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs4 === errors){
if(data.operation !== undefined){
const _errs5 = errors;
if("register" !== data.operation){
validate305.errors = [{instancePath:instancePath+"/operation",schemaPath:"#/oneOf/0/properties/operation/const",keyword:"const",params:{allowedValue: "register"},message:"must be equal to constant"}];
return false;
}
var valid2 = _errs5 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data.payload !== undefined){
const _errs6 = errors;
if(!(validate296(data.payload, {instancePath:instancePath+"/payload",parentData:data,parentDataProperty:"payload",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate296.errors : vErrors.concat(validate296.errors);
errors = vErrors.length;
}
var valid2 = _errs6 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
else {
validate305.errors = [{instancePath,schemaPath:"#/oneOf/0/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var props0 = true;
}
else if(tag0 === "heartbeat"){
const _errs7 = errors;
if(errors === _errs7){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing2;
if(((data.operation === undefined) && (missing2 = "operation")) || ((data.payload === undefined) && (missing2 = "payload"))){
validate305.errors = [{instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing2},message:"must have required property '"+missing2+"'"}];
return false;
}
else {
const _errs9 = errors;
for(const key1 in data){
if(!((key1 === "operation") || (key1 === "payload"))){
validate305.errors = [{instancePath,schemaPath:"#/oneOf/1/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs9 === errors){
if(data.operation !== undefined){
const _errs10 = errors;
if("heartbeat" !== data.operation){
validate305.errors = [{instancePath:instancePath+"/operation",schemaPath:"#/oneOf/1/properties/operation/const",keyword:"const",params:{allowedValue: "heartbeat"},message:"must be equal to constant"}];
return false;
}
var valid4 = _errs10 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data.payload !== undefined){
const _errs11 = errors;
if(!(validate303(data.payload, {instancePath:instancePath+"/payload",parentData:data,parentDataProperty:"payload",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate303.errors : vErrors.concat(validate303.errors);
errors = vErrors.length;
}
var valid4 = _errs11 === errors;
}
else {
var valid4 = true;
}
}
}
}
}
else {
validate305.errors = [{instancePath,schemaPath:"#/oneOf/1/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props0 !== true){
props0 = true;
}
}
else if(tag0 === "drain"){
const _errs12 = errors;
if(errors === _errs12){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing3;
if(((data.operation === undefined) && (missing3 = "operation")) || ((data.payload === undefined) && (missing3 = "payload"))){
validate305.errors = [{instancePath,schemaPath:"#/oneOf/2/required",keyword:"required",params:{missingProperty: missing3},message:"must have required property '"+missing3+"'"}];
return false;
}
else {
const _errs14 = errors;
for(const key2 in data){
if(!((key2 === "operation") || (key2 === "payload"))){
validate305.errors = [{instancePath,schemaPath:"#/oneOf/2/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs14 === errors){
if(data.operation !== undefined){
const _errs15 = errors;
if("drain" !== data.operation){
validate305.errors = [{instancePath:instancePath+"/operation",schemaPath:"#/oneOf/2/properties/operation/const",keyword:"const",params:{allowedValue: "drain"},message:"must be equal to constant"}];
return false;
}
var valid6 = _errs15 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data.payload !== undefined){
const _errs16 = errors;
if(!(validate302(data.payload, {instancePath:instancePath+"/payload",parentData:data,parentDataProperty:"payload",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate302.errors : vErrors.concat(validate302.errors);
errors = vErrors.length;
}
var valid6 = _errs16 === errors;
}
else {
var valid6 = true;
}
}
}
}
}
else {
validate305.errors = [{instancePath,schemaPath:"#/oneOf/2/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props0 !== true){
props0 = true;
}
}
else if(tag0 === "offline"){
const _errs17 = errors;
if(errors === _errs17){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing4;
if(((data.operation === undefined) && (missing4 = "operation")) || ((data.payload === undefined) && (missing4 = "payload"))){
validate305.errors = [{instancePath,schemaPath:"#/oneOf/3/required",keyword:"required",params:{missingProperty: missing4},message:"must have required property '"+missing4+"'"}];
return false;
}
else {
const _errs19 = errors;
for(const key3 in data){
if(!((key3 === "operation") || (key3 === "payload"))){
validate305.errors = [{instancePath,schemaPath:"#/oneOf/3/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs19 === errors){
if(data.operation !== undefined){
const _errs20 = errors;
if("offline" !== data.operation){
validate305.errors = [{instancePath:instancePath+"/operation",schemaPath:"#/oneOf/3/properties/operation/const",keyword:"const",params:{allowedValue: "offline"},message:"must be equal to constant"}];
return false;
}
var valid8 = _errs20 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data.payload !== undefined){
const _errs21 = errors;
if(!(validate302(data.payload, {instancePath:instancePath+"/payload",parentData:data,parentDataProperty:"payload",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate302.errors : vErrors.concat(validate302.errors);
errors = vErrors.length;
}
var valid8 = _errs21 === errors;
}
else {
var valid8 = true;
}
}
}
}
}
else {
validate305.errors = [{instancePath,schemaPath:"#/oneOf/3/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props0 !== true){
props0 = true;
}
}
else {
validate305.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{error: "mapping", tag: "operation", tagValue: tag0},message:"value of tag \"operation\" must be in oneOf"}];
return false;
}
}
else {
validate305.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{error: "tag", tag: "operation", tagValue: tag0},message:"tag \"operation\" must be string"}];
return false;
}
}
}
else {
validate305.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate305.errors = vErrors;
evaluated0.props = props0;
return errors === 0;
}
validate305.evaluated = {"dynamicProps":true,"dynamicItems":false};

export const LifecycleOutcome = validate310;
const schema137 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/lifecycle_outcome.schema.json","title":"LifecycleOutcome","description":"What became of a lifecycle request.","type":"object","required":["status"],"oneOf":[{"type":"object","required":["status","lease"],"properties":{"status":{"const":"lease"},"lease":{"$ref":"lease.schema.json"}},"additionalProperties":false},{"type":"object","required":["status"],"properties":{"status":{"const":"offline"}},"additionalProperties":false},{"type":"object","required":["status","code"],"properties":{"status":{"const":"rejected"},"code":{"type":"string"},"message":{"type":["string","null"]},"retryable":{"type":["boolean","null"]}},"additionalProperties":false}],"discriminator":{"propertyName":"status"}};

function validate310(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/lifecycle_outcome.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate310.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.status === undefined) && (missing0 = "status")){
validate310.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const tag0 = data.status;
if(typeof tag0 == "string"){
if(tag0 === "lease"){
const _errs2 = errors;
if(errors === _errs2){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing1;
if(((data.status === undefined) && (missing1 = "status")) || ((data.lease === undefined) && (missing1 = "lease"))){
validate310.errors = [{instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}
else {
const _errs4 = errors;
for(const key0 in data){
if(!((key0 === "status") || (key0 === "lease"))){
validate310.errors = [{instancePath,schemaPath:"#/oneOf/0/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs4 === errors){
if(data.status !== undefined){
const _errs5 = errors;
if("lease" !== data.status){
validate310.errors = [{instancePath:instancePath+"/status",schemaPath:"#/oneOf/0/properties/status/const",keyword:"const",params:{allowedValue: "lease"},message:"must be equal to constant"}];
return false;
}
var valid2 = _errs5 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data.lease !== undefined){
const _errs6 = errors;
if(!(validate304(data.lease, {instancePath:instancePath+"/lease",parentData:data,parentDataProperty:"lease",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate304.errors : vErrors.concat(validate304.errors);
errors = vErrors.length;
}
var valid2 = _errs6 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
else {
validate310.errors = [{instancePath,schemaPath:"#/oneOf/0/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var props0 = true;
}
else if(tag0 === "offline"){
const _errs7 = errors;
if(errors === _errs7){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing2;
if((data.status === undefined) && (missing2 = "status")){
validate310.errors = [{instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing2},message:"must have required property '"+missing2+"'"}];
return false;
}
else {
const _errs9 = errors;
for(const key1 in data){
if(!(key1 === "status")){
validate310.errors = [{instancePath,schemaPath:"#/oneOf/1/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs9 === errors){
if(data.status !== undefined){
if("offline" !== data.status){
validate310.errors = [{instancePath:instancePath+"/status",schemaPath:"#/oneOf/1/properties/status/const",keyword:"const",params:{allowedValue: "offline"},message:"must be equal to constant"}];
return false;
}
}
}
}
}
else {
validate310.errors = [{instancePath,schemaPath:"#/oneOf/1/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props0 !== true){
props0 = true;
}
}
else if(tag0 === "rejected"){
const _errs11 = errors;
if(errors === _errs11){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing3;
if(((data.status === undefined) && (missing3 = "status")) || ((data.code === undefined) && (missing3 = "code"))){
validate310.errors = [{instancePath,schemaPath:"#/oneOf/2/required",keyword:"required",params:{missingProperty: missing3},message:"must have required property '"+missing3+"'"}];
return false;
}
else {
const _errs13 = errors;
for(const key2 in data){
if(!((((key2 === "status") || (key2 === "code")) || (key2 === "message")) || (key2 === "retryable"))){
validate310.errors = [{instancePath,schemaPath:"#/oneOf/2/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs13 === errors){
if(data.status !== undefined){
const _errs14 = errors;
if("rejected" !== data.status){
validate310.errors = [{instancePath:instancePath+"/status",schemaPath:"#/oneOf/2/properties/status/const",keyword:"const",params:{allowedValue: "rejected"},message:"must be equal to constant"}];
return false;
}
var valid6 = _errs14 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data.code !== undefined){
const _errs15 = errors;
if(typeof data.code !== "string"){
validate310.errors = [{instancePath:instancePath+"/code",schemaPath:"#/oneOf/2/properties/code/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid6 = _errs15 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data.message !== undefined){
let data5 = data.message;
const _errs17 = errors;
if((typeof data5 !== "string") && (data5 !== null)){
validate310.errors = [{instancePath:instancePath+"/message",schemaPath:"#/oneOf/2/properties/message/type",keyword:"type",params:{type: schema137.oneOf[2].properties.message.type},message:"must be string,null"}];
return false;
}
var valid6 = _errs17 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data.retryable !== undefined){
let data6 = data.retryable;
const _errs19 = errors;
if((typeof data6 !== "boolean") && (data6 !== null)){
validate310.errors = [{instancePath:instancePath+"/retryable",schemaPath:"#/oneOf/2/properties/retryable/type",keyword:"type",params:{type: schema137.oneOf[2].properties.retryable.type},message:"must be boolean,null"}];
return false;
}
var valid6 = _errs19 === errors;
}
else {
var valid6 = true;
}
}
}
}
}
}
}
else {
validate310.errors = [{instancePath,schemaPath:"#/oneOf/2/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
if(props0 !== true){
props0 = true;
}
}
else {
validate310.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{error: "mapping", tag: "status", tagValue: tag0},message:"value of tag \"status\" must be in oneOf"}];
return false;
}
}
else {
validate310.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{error: "tag", tag: "status", tagValue: tag0},message:"tag \"status\" must be string"}];
return false;
}
}
}
else {
validate310.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate310.errors = vErrors;
evaluated0.props = props0;
return errors === 0;
}
validate310.evaluated = {"dynamicProps":true,"dynamicItems":false};

export const LifecycleRequest = validate312;
const schema138 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/lifecycle_request.schema.json","title":"LifecycleRequest","description":"The signed value of a lifecycle request.","type":"object","required":["request_id","issued_at","expires_at","signer_did","command"],"properties":{"request_id":{"type":"string"},"issued_at":{"type":"string"},"expires_at":{"type":"string"},"signer_did":{"type":"string"},"command":{"$ref":"lifecycle_command.schema.json"}},"additionalProperties":false};

function validate312(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/lifecycle_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate312.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((((data.request_id === undefined) && (missing0 = "request_id")) || ((data.issued_at === undefined) && (missing0 = "issued_at"))) || ((data.expires_at === undefined) && (missing0 = "expires_at"))) || ((data.signer_did === undefined) && (missing0 = "signer_did"))) || ((data.command === undefined) && (missing0 = "command"))){
validate312.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((key0 === "request_id") || (key0 === "issued_at")) || (key0 === "expires_at")) || (key0 === "signer_did")) || (key0 === "command"))){
validate312.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.request_id !== undefined){
const _errs2 = errors;
if(typeof data.request_id !== "string"){
validate312.errors = [{instancePath:instancePath+"/request_id",schemaPath:"#/properties/request_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.issued_at !== undefined){
const _errs4 = errors;
if(typeof data.issued_at !== "string"){
validate312.errors = [{instancePath:instancePath+"/issued_at",schemaPath:"#/properties/issued_at/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.expires_at !== undefined){
const _errs6 = errors;
if(typeof data.expires_at !== "string"){
validate312.errors = [{instancePath:instancePath+"/expires_at",schemaPath:"#/properties/expires_at/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.signer_did !== undefined){
const _errs8 = errors;
if(typeof data.signer_did !== "string"){
validate312.errors = [{instancePath:instancePath+"/signer_did",schemaPath:"#/properties/signer_did/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.command !== undefined){
const _errs10 = errors;
if(!(validate305(data.command, {instancePath:instancePath+"/command",parentData:data,parentDataProperty:"command",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate305.errors : vErrors.concat(validate305.errors);
errors = vErrors.length;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
else {
validate312.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate312.errors = vErrors;
return errors === 0;
}
validate312.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ReplicaRecord = validate297;

export const SignedLifecycleRequest = validate314;
const schema139 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/signed_lifecycle_request.schema.json","title":"SignedLifecycleRequest","description":"What a host sends to the control plane.","type":"object","required":["request","signature"],"properties":{"request":{"$ref":"lifecycle_request.schema.json"},"signature":{"type":"string"}},"additionalProperties":false};

function validate314(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/signed_lifecycle_request.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate314.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.request === undefined) && (missing0 = "request")) || ((data.signature === undefined) && (missing0 = "signature"))){
validate314.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "request") || (key0 === "signature"))){
validate314.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.request !== undefined){
const _errs2 = errors;
if(!(validate312(data.request, {instancePath:instancePath+"/request",parentData:data,parentDataProperty:"request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate312.errors : vErrors.concat(validate312.errors);
errors = vErrors.length;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.signature !== undefined){
const _errs3 = errors;
if(typeof data.signature !== "string"){
validate314.errors = [{instancePath:instancePath+"/signature",schemaPath:"#/properties/signature/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate314.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate314.errors = vErrors;
return errors === 0;
}
validate314.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const Topology = validate298;

export const Body = validate316;
const schema140 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/body.schema.json","title":"Body","description":"Payload of an envelope; the member’s name selects the type.","type":"object","minProperties":1,"maxProperties":1,"properties":{"handshake":{"$ref":"handshake.schema.json"},"handshake_response":{"$ref":"handshake_response.schema.json"},"action":{"$ref":"action.schema.json"},"ack":{"$ref":"ack.schema.json"},"stream_chunk":{"$ref":"stream_chunk.schema.json"},"action_result":{"$ref":"action_result.schema.json"},"error":{"$ref":"error_body.schema.json"},"cancel":{"$ref":"cancel.schema.json"},"heartbeat":{"$ref":"heartbeat.schema.json"},"heartbeat_ack":{"$ref":"heartbeat_ack.schema.json"},"escalation":{"$ref":"escalation.schema.json"},"escalation_resolution":{"$ref":"escalation_resolution.schema.json"},"action_status_request":{"$ref":"action_status_request.schema.json"},"action_status":{"$ref":"action_status.schema.json"},"action_result_request":{"$ref":"action_result_request.schema.json"},"action_list_request":{"$ref":"action_list_request.schema.json"},"action_list":{"$ref":"action_list.schema.json"},"action_events_request":{"$ref":"action_events_request.schema.json"},"action_events":{"$ref":"action_events.schema.json"},"approval_request":{"$ref":"approval_request.schema.json"},"approval_decision":{"$ref":"approval_decision.schema.json"},"approval_query_request":{"$ref":"approval_query_request.schema.json"},"approval_list_request":{"$ref":"approval_list_request.schema.json"},"approval_record_view":{"$ref":"approval_record_view.schema.json"},"approval_list":{"$ref":"approval_list.schema.json"},"callback_delivery_query_request":{"$ref":"callback_delivery_query_request.schema.json"},"callback_delivery_list_request":{"$ref":"callback_delivery_list_request.schema.json"},"callback_delivery_record":{"$ref":"callback_delivery_record.schema.json"},"callback_delivery_list":{"$ref":"callback_delivery_list.schema.json"},"session_request":{"$ref":"session_request.schema.json"},"session_view":{"$ref":"session_view.schema.json"},"session_list_request":{"$ref":"session_list_request.schema.json"},"session_list":{"$ref":"session_list.schema.json"},"session_close_request":{"$ref":"session_close_request.schema.json"},"session_resume_request":{"$ref":"session_resume_request.schema.json"},"session_resume":{"$ref":"session_resume.schema.json"},"delegation_request":{"$ref":"delegation_request.schema.json"},"delegation_result":{"$ref":"delegation_result.schema.json"},"transaction_request":{"$ref":"transaction_request.schema.json"},"transaction_result":{"$ref":"transaction_result.schema.json"},"transaction_query_request":{"$ref":"transaction_query_request.schema.json"},"transaction_view":{"$ref":"transaction_view.schema.json"},"manifest_request":{"$ref":"manifest_request.schema.json"},"manifest":{"$ref":"manifest.schema.json"},"event_stream_request":{"$ref":"event_stream_request.schema.json"},"event_stream":{"$ref":"event_stream.schema.json"},"channel_message":{"$ref":"channel_message.schema.json"},"conversation":{"$ref":"conversation_updated.schema.json"},"receipt_chain":{"$ref":"receipt_chain.schema.json"},"receipt_query_request":{"$ref":"receipt_query_request.schema.json"},"audit_event":{"$ref":"audit_event.schema.json"},"audit_query_request":{"$ref":"audit_query_request.schema.json"},"audit_query_result":{"$ref":"audit_query_result.schema.json"},"resource_list_request":{"$ref":"resource_list_request.schema.json"},"resource_list":{"$ref":"resource_list.schema.json"},"resource_read_request":{"$ref":"resource_read_request.schema.json"},"resource_read_result":{"$ref":"resource_read_result.schema.json"},"batch_settlement":{"$ref":"batch_settlement.schema.json"}},"additionalProperties":false};

function validate316(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/body.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate316.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
validate316.errors = [{instancePath,schemaPath:"#/maxProperties",keyword:"maxProperties",params:{limit: 1},message:"must NOT have more than 1 properties"}];
return false;
}
else {
if(Object.keys(data).length < 1){
validate316.errors = [{instancePath,schemaPath:"#/minProperties",keyword:"minProperties",params:{limit: 1},message:"must NOT have fewer than 1 properties"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema140.properties, key0))){
validate316.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.handshake !== undefined){
const _errs2 = errors;
if(!(validate119(data.handshake, {instancePath:instancePath+"/handshake",parentData:data,parentDataProperty:"handshake",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate119.errors : vErrors.concat(validate119.errors);
errors = vErrors.length;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.handshake_response !== undefined){
const _errs3 = errors;
if(!(validate121(data.handshake_response, {instancePath:instancePath+"/handshake_response",parentData:data,parentDataProperty:"handshake_response",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate121.errors : vErrors.concat(validate121.errors);
errors = vErrors.length;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.action !== undefined){
const _errs4 = errors;
if(!(validate53(data.action, {instancePath:instancePath+"/action",parentData:data,parentDataProperty:"action",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate53.errors : vErrors.concat(validate53.errors);
errors = vErrors.length;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.ack !== undefined){
const _errs5 = errors;
if(!(validate52(data.ack, {instancePath:instancePath+"/ack",parentData:data,parentDataProperty:"ack",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate52.errors : vErrors.concat(validate52.errors);
errors = vErrors.length;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.stream_chunk !== undefined){
const _errs6 = errors;
if(!(validate126(data.stream_chunk, {instancePath:instancePath+"/stream_chunk",parentData:data,parentDataProperty:"stream_chunk",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate126.errors : vErrors.concat(validate126.errors);
errors = vErrors.length;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.action_result !== undefined){
const _errs7 = errors;
if(!(validate100(data.action_result, {instancePath:instancePath+"/action_result",parentData:data,parentDataProperty:"action_result",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate100.errors : vErrors.concat(validate100.errors);
errors = vErrors.length;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.error !== undefined){
const _errs8 = errors;
if(!(validate112(data.error, {instancePath:instancePath+"/error",parentData:data,parentDataProperty:"error",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate112.errors : vErrors.concat(validate112.errors);
errors = vErrors.length;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.cancel !== undefined){
const _errs9 = errors;
if(!(validate109(data.cancel, {instancePath:instancePath+"/cancel",parentData:data,parentDataProperty:"cancel",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate109.errors : vErrors.concat(validate109.errors);
errors = vErrors.length;
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.heartbeat !== undefined){
const _errs10 = errors;
if(!(validate124(data.heartbeat, {instancePath:instancePath+"/heartbeat",parentData:data,parentDataProperty:"heartbeat",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate124.errors : vErrors.concat(validate124.errors);
errors = vErrors.length;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.heartbeat_ack !== undefined){
const _errs11 = errors;
if(!(validate125(data.heartbeat_ack, {instancePath:instancePath+"/heartbeat_ack",parentData:data,parentDataProperty:"heartbeat_ack",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate125.errors : vErrors.concat(validate125.errors);
errors = vErrors.length;
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.escalation !== undefined){
const _errs12 = errors;
if(!(validate114(data.escalation, {instancePath:instancePath+"/escalation",parentData:data,parentDataProperty:"escalation",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate114.errors : vErrors.concat(validate114.errors);
errors = vErrors.length;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.escalation_resolution !== undefined){
const _errs13 = errors;
if(!(validate117(data.escalation_resolution, {instancePath:instancePath+"/escalation_resolution",parentData:data,parentDataProperty:"escalation_resolution",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate117.errors : vErrors.concat(validate117.errors);
errors = vErrors.length;
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.action_status_request !== undefined){
const _errs14 = errors;
if(!(validate146(data.action_status_request, {instancePath:instancePath+"/action_status_request",parentData:data,parentDataProperty:"action_status_request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate146.errors : vErrors.concat(validate146.errors);
errors = vErrors.length;
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.action_status !== undefined){
const _errs15 = errors;
if(!(validate135(data.action_status, {instancePath:instancePath+"/action_status",parentData:data,parentDataProperty:"action_status",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate135.errors : vErrors.concat(validate135.errors);
errors = vErrors.length;
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.action_result_request !== undefined){
const _errs16 = errors;
if(!(validate145(data.action_result_request, {instancePath:instancePath+"/action_result_request",parentData:data,parentDataProperty:"action_result_request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate145.errors : vErrors.concat(validate145.errors);
errors = vErrors.length;
}
var valid0 = _errs16 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.action_list_request !== undefined){
const _errs17 = errors;
if(!(validate144(data.action_list_request, {instancePath:instancePath+"/action_list_request",parentData:data,parentDataProperty:"action_list_request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate144.errors : vErrors.concat(validate144.errors);
errors = vErrors.length;
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.action_list !== undefined){
const _errs18 = errors;
if(!(validate134(data.action_list, {instancePath:instancePath+"/action_list",parentData:data,parentDataProperty:"action_list",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate134.errors : vErrors.concat(validate134.errors);
errors = vErrors.length;
}
var valid0 = _errs18 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.action_events_request !== undefined){
const _errs19 = errors;
if(!(validate133(data.action_events_request, {instancePath:instancePath+"/action_events_request",parentData:data,parentDataProperty:"action_events_request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate133.errors : vErrors.concat(validate133.errors);
errors = vErrors.length;
}
var valid0 = _errs19 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.action_events !== undefined){
const _errs20 = errors;
if(!(validate128(data.action_events, {instancePath:instancePath+"/action_events",parentData:data,parentDataProperty:"action_events",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate128.errors : vErrors.concat(validate128.errors);
errors = vErrors.length;
}
var valid0 = _errs20 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.approval_request !== undefined){
const _errs21 = errors;
if(!(validate152(data.approval_request, {instancePath:instancePath+"/approval_request",parentData:data,parentDataProperty:"approval_request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate152.errors : vErrors.concat(validate152.errors);
errors = vErrors.length;
}
var valid0 = _errs21 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.approval_decision !== undefined){
const _errs22 = errors;
if(!(validate91(data.approval_decision, {instancePath:instancePath+"/approval_decision",parentData:data,parentDataProperty:"approval_decision",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate91.errors : vErrors.concat(validate91.errors);
errors = vErrors.length;
}
var valid0 = _errs22 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.approval_query_request !== undefined){
const _errs23 = errors;
if(!(validate176(data.approval_query_request, {instancePath:instancePath+"/approval_query_request",parentData:data,parentDataProperty:"approval_query_request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate176.errors : vErrors.concat(validate176.errors);
errors = vErrors.length;
}
var valid0 = _errs23 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.approval_list_request !== undefined){
const _errs24 = errors;
if(!(validate175(data.approval_list_request, {instancePath:instancePath+"/approval_list_request",parentData:data,parentDataProperty:"approval_list_request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate175.errors : vErrors.concat(validate175.errors);
errors = vErrors.length;
}
var valid0 = _errs24 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.approval_record_view !== undefined){
const _errs25 = errors;
if(!(validate151(data.approval_record_view, {instancePath:instancePath+"/approval_record_view",parentData:data,parentDataProperty:"approval_record_view",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate151.errors : vErrors.concat(validate151.errors);
errors = vErrors.length;
}
var valid0 = _errs25 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.approval_list !== undefined){
const _errs26 = errors;
if(!(validate150(data.approval_list, {instancePath:instancePath+"/approval_list",parentData:data,parentDataProperty:"approval_list",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate150.errors : vErrors.concat(validate150.errors);
errors = vErrors.length;
}
var valid0 = _errs26 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.callback_delivery_query_request !== undefined){
const _errs27 = errors;
if(!(validate224(data.callback_delivery_query_request, {instancePath:instancePath+"/callback_delivery_query_request",parentData:data,parentDataProperty:"callback_delivery_query_request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate224.errors : vErrors.concat(validate224.errors);
errors = vErrors.length;
}
var valid0 = _errs27 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.callback_delivery_list_request !== undefined){
const _errs28 = errors;
if(!(validate223(data.callback_delivery_list_request, {instancePath:instancePath+"/callback_delivery_list_request",parentData:data,parentDataProperty:"callback_delivery_list_request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate223.errors : vErrors.concat(validate223.errors);
errors = vErrors.length;
}
var valid0 = _errs28 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.callback_delivery_record !== undefined){
const _errs29 = errors;
if(!(validate216(data.callback_delivery_record, {instancePath:instancePath+"/callback_delivery_record",parentData:data,parentDataProperty:"callback_delivery_record",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate216.errors : vErrors.concat(validate216.errors);
errors = vErrors.length;
}
var valid0 = _errs29 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.callback_delivery_list !== undefined){
const _errs30 = errors;
if(!(validate215(data.callback_delivery_list, {instancePath:instancePath+"/callback_delivery_list",parentData:data,parentDataProperty:"callback_delivery_list",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate215.errors : vErrors.concat(validate215.errors);
errors = vErrors.length;
}
var valid0 = _errs30 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.session_request !== undefined){
const _errs31 = errors;
if(!(validate184(data.session_request, {instancePath:instancePath+"/session_request",parentData:data,parentDataProperty:"session_request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate184.errors : vErrors.concat(validate184.errors);
errors = vErrors.length;
}
var valid0 = _errs31 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.session_view !== undefined){
const _errs32 = errors;
if(!(validate179(data.session_view, {instancePath:instancePath+"/session_view",parentData:data,parentDataProperty:"session_view",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate179.errors : vErrors.concat(validate179.errors);
errors = vErrors.length;
}
var valid0 = _errs32 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.session_list_request !== undefined){
const _errs33 = errors;
if(!(validate183(data.session_list_request, {instancePath:instancePath+"/session_list_request",parentData:data,parentDataProperty:"session_list_request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate183.errors : vErrors.concat(validate183.errors);
errors = vErrors.length;
}
var valid0 = _errs33 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.session_list !== undefined){
const _errs34 = errors;
if(!(validate178(data.session_list, {instancePath:instancePath+"/session_list",parentData:data,parentDataProperty:"session_list",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate178.errors : vErrors.concat(validate178.errors);
errors = vErrors.length;
}
var valid0 = _errs34 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.session_close_request !== undefined){
const _errs35 = errors;
if(!(validate177(data.session_close_request, {instancePath:instancePath+"/session_close_request",parentData:data,parentDataProperty:"session_close_request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate177.errors : vErrors.concat(validate177.errors);
errors = vErrors.length;
}
var valid0 = _errs35 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.session_resume_request !== undefined){
const _errs36 = errors;
if(!(validate188(data.session_resume_request, {instancePath:instancePath+"/session_resume_request",parentData:data,parentDataProperty:"session_resume_request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate188.errors : vErrors.concat(validate188.errors);
errors = vErrors.length;
}
var valid0 = _errs36 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.session_resume !== undefined){
const _errs37 = errors;
if(!(validate185(data.session_resume, {instancePath:instancePath+"/session_resume",parentData:data,parentDataProperty:"session_resume",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate185.errors : vErrors.concat(validate185.errors);
errors = vErrors.length;
}
var valid0 = _errs37 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.delegation_request !== undefined){
const _errs38 = errors;
if(!(validate285(data.delegation_request, {instancePath:instancePath+"/delegation_request",parentData:data,parentDataProperty:"delegation_request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate285.errors : vErrors.concat(validate285.errors);
errors = vErrors.length;
}
var valid0 = _errs38 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.delegation_result !== undefined){
const _errs39 = errors;
if(!(validate290(data.delegation_result, {instancePath:instancePath+"/delegation_result",parentData:data,parentDataProperty:"delegation_result",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate290.errors : vErrors.concat(validate290.errors);
errors = vErrors.length;
}
var valid0 = _errs39 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.transaction_request !== undefined){
const _errs40 = errors;
if(!(validate198(data.transaction_request, {instancePath:instancePath+"/transaction_request",parentData:data,parentDataProperty:"transaction_request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate198.errors : vErrors.concat(validate198.errors);
errors = vErrors.length;
}
var valid0 = _errs40 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.transaction_result !== undefined){
const _errs41 = errors;
if(!(validate202(data.transaction_result, {instancePath:instancePath+"/transaction_result",parentData:data,parentDataProperty:"transaction_result",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate202.errors : vErrors.concat(validate202.errors);
errors = vErrors.length;
}
var valid0 = _errs41 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.transaction_query_request !== undefined){
const _errs42 = errors;
if(!(validate197(data.transaction_query_request, {instancePath:instancePath+"/transaction_query_request",parentData:data,parentDataProperty:"transaction_query_request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate197.errors : vErrors.concat(validate197.errors);
errors = vErrors.length;
}
var valid0 = _errs42 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.transaction_view !== undefined){
const _errs43 = errors;
if(!(validate209(data.transaction_view, {instancePath:instancePath+"/transaction_view",parentData:data,parentDataProperty:"transaction_view",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate209.errors : vErrors.concat(validate209.errors);
errors = vErrors.length;
}
var valid0 = _errs43 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.manifest_request !== undefined){
const _errs44 = errors;
if(!(validate259(data.manifest_request, {instancePath:instancePath+"/manifest_request",parentData:data,parentDataProperty:"manifest_request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate259.errors : vErrors.concat(validate259.errors);
errors = vErrors.length;
}
var valid0 = _errs44 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.manifest !== undefined){
const _errs45 = errors;
if(!(validate251(data.manifest, {instancePath:instancePath+"/manifest",parentData:data,parentDataProperty:"manifest",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate251.errors : vErrors.concat(validate251.errors);
errors = vErrors.length;
}
var valid0 = _errs45 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.event_stream_request !== undefined){
const _errs46 = errors;
if(!(validate250(data.event_stream_request, {instancePath:instancePath+"/event_stream_request",parentData:data,parentDataProperty:"event_stream_request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate250.errors : vErrors.concat(validate250.errors);
errors = vErrors.length;
}
var valid0 = _errs46 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.event_stream !== undefined){
const _errs47 = errors;
if(!(validate248(data.event_stream, {instancePath:instancePath+"/event_stream",parentData:data,parentDataProperty:"event_stream",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate248.errors : vErrors.concat(validate248.errors);
errors = vErrors.length;
}
var valid0 = _errs47 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.channel_message !== undefined){
const _errs48 = errors;
if(!(validate261(data.channel_message, {instancePath:instancePath+"/channel_message",parentData:data,parentDataProperty:"channel_message",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate261.errors : vErrors.concat(validate261.errors);
errors = vErrors.length;
}
var valid0 = _errs48 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.conversation !== undefined){
const _errs49 = errors;
if(!(validate266(data.conversation, {instancePath:instancePath+"/conversation",parentData:data,parentDataProperty:"conversation",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate266.errors : vErrors.concat(validate266.errors);
errors = vErrors.length;
}
var valid0 = _errs49 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.receipt_chain !== undefined){
const _errs50 = errors;
if(!(validate137(data.receipt_chain, {instancePath:instancePath+"/receipt_chain",parentData:data,parentDataProperty:"receipt_chain",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate137.errors : vErrors.concat(validate137.errors);
errors = vErrors.length;
}
var valid0 = _errs50 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.receipt_query_request !== undefined){
const _errs51 = errors;
if(!(validate276(data.receipt_query_request, {instancePath:instancePath+"/receipt_query_request",parentData:data,parentDataProperty:"receipt_query_request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate276.errors : vErrors.concat(validate276.errors);
errors = vErrors.length;
}
var valid0 = _errs51 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.audit_event !== undefined){
const _errs52 = errors;
if(!(validate269(data.audit_event, {instancePath:instancePath+"/audit_event",parentData:data,parentDataProperty:"audit_event",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate269.errors : vErrors.concat(validate269.errors);
errors = vErrors.length;
}
var valid0 = _errs52 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.audit_query_request !== undefined){
const _errs53 = errors;
if(!(validate272(data.audit_query_request, {instancePath:instancePath+"/audit_query_request",parentData:data,parentDataProperty:"audit_query_request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate272.errors : vErrors.concat(validate272.errors);
errors = vErrors.length;
}
var valid0 = _errs53 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.audit_query_result !== undefined){
const _errs54 = errors;
if(!(validate273(data.audit_query_result, {instancePath:instancePath+"/audit_query_result",parentData:data,parentDataProperty:"audit_query_result",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate273.errors : vErrors.concat(validate273.errors);
errors = vErrors.length;
}
var valid0 = _errs54 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.resource_list_request !== undefined){
const _errs55 = errors;
if(!(validate279(data.resource_list_request, {instancePath:instancePath+"/resource_list_request",parentData:data,parentDataProperty:"resource_list_request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate279.errors : vErrors.concat(validate279.errors);
errors = vErrors.length;
}
var valid0 = _errs55 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.resource_list !== undefined){
const _errs56 = errors;
if(!(validate277(data.resource_list, {instancePath:instancePath+"/resource_list",parentData:data,parentDataProperty:"resource_list",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate277.errors : vErrors.concat(validate277.errors);
errors = vErrors.length;
}
var valid0 = _errs56 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.resource_read_request !== undefined){
const _errs57 = errors;
if(!(validate280(data.resource_read_request, {instancePath:instancePath+"/resource_read_request",parentData:data,parentDataProperty:"resource_read_request",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate280.errors : vErrors.concat(validate280.errors);
errors = vErrors.length;
}
var valid0 = _errs57 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.resource_read_result !== undefined){
const _errs58 = errors;
if(!(validate281(data.resource_read_result, {instancePath:instancePath+"/resource_read_result",parentData:data,parentDataProperty:"resource_read_result",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate281.errors : vErrors.concat(validate281.errors);
errors = vErrors.length;
}
var valid0 = _errs58 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.batch_settlement !== undefined){
const _errs59 = errors;
if(!(validate284(data.batch_settlement, {instancePath:instancePath+"/batch_settlement",parentData:data,parentDataProperty:"batch_settlement",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate284.errors : vErrors.concat(validate284.errors);
errors = vErrors.length;
}
var valid0 = _errs59 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate316.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate316.errors = vErrors;
return errors === 0;
}
validate316.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const Envelope = validate375;
const schema141 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://aip.dev/schemas/envelope.schema.json","title":"Envelope","description":"What travels.","type":"object","required":["aip_version","message_type","message_id","sent_at","body"],"properties":{"aip_version":{"const":"1.0"},"message_type":{"enum":["aip.core.v1.handshake","aip.core.v1.handshake_response","aip.core.v1.action","aip.core.v1.ack","aip.core.v1.stream_chunk","aip.core.v1.action_result","aip.core.v1.error","aip.core.v1.cancel","aip.core.v1.heartbeat","aip.core.v1.heartbeat_ack","aip.core.v1.escalation","aip.core.v1.escalation_resolution","aip.lifecycle.v1.action_status_request","aip.lifecycle.v1.action_status","aip.lifecycle.v1.action_result_request","aip.lifecycle.v1.action_list_request","aip.lifecycle.v1.action_list","aip.lifecycle.v1.action_events_request","aip.lifecycle.v1.action_events","aip.policy.v1.approval_request","aip.policy.v1.approval_decision","aip.policy.v1.approval_query_request","aip.policy.v1.approval_list_request","aip.policy.v1.approval_record_view","aip.policy.v1.approval_list","aip.callback.v1.delivery_query_request","aip.callback.v1.delivery_list_request","aip.callback.v1.delivery_record","aip.callback.v1.delivery_list","aip.session.v1.session_request","aip.session.v1.session_view","aip.session.v1.session_list_request","aip.session.v1.session_list","aip.session.v1.session_close_request","aip.session.v1.session_resume_request","aip.session.v1.session_resume","aip.agent.v1.delegation_request","aip.agent.v1.delegation_result","aip.transaction.v1.request","aip.transaction.v1.result","aip.transaction.v1.query_request","aip.transaction.v1.view","aip.discovery.v1.manifest_request","aip.discovery.v1.manifest_response","aip.discovery.v1.event_stream_request","aip.discovery.v1.event_stream_response","aip.channel.v1.message_created","aip.channel.v1.conversation_updated","aip.audit.v1.receipt_chain","aip.audit.v1.receipt_query_request","aip.audit.v1.audit_event","aip.audit.v1.audit_query_request","aip.audit.v1.audit_query_result","aip.resource.v1.resource_list_request","aip.resource.v1.resource_list","aip.resource.v1.resource_read_request","aip.resource.v1.resource_read_result","aip.economic.v1.batch_settlement"]},"message_id":{"type":"string"},"sent_at":{"type":"string"},"body":{"$ref":"body.schema.json"},"session_id":{"type":["string","null"]},"correlation_id":{"type":["string","null"]},"in_response_to":{"type":["string","null"]},"idempotency_key":{"type":["string","null"]},"from":{"anyOf":[{"$ref":"principal.schema.json"},{"type":"null"}]},"to":{"anyOf":[{"$ref":"principal.schema.json"},{"type":"null"}]},"trace":{},"security":{},"extensions":{}},"additionalProperties":false};

function validate375(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://aip.dev/schemas/envelope.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate375.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((((data.aip_version === undefined) && (missing0 = "aip_version")) || ((data.message_type === undefined) && (missing0 = "message_type"))) || ((data.message_id === undefined) && (missing0 = "message_id"))) || ((data.sent_at === undefined) && (missing0 = "sent_at"))) || ((data.body === undefined) && (missing0 = "body"))){
validate375.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema141.properties, key0))){
validate375.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.aip_version !== undefined){
const _errs2 = errors;
if("1.0" !== data.aip_version){
validate375.errors = [{instancePath:instancePath+"/aip_version",schemaPath:"#/properties/aip_version/const",keyword:"const",params:{allowedValue: "1.0"},message:"must be equal to constant"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.message_type !== undefined){
let data1 = data.message_type;
const _errs3 = errors;
if(!((((((((((((((((((((((((((((((((((((((((((((((((((((((((((data1 === "aip.core.v1.handshake") || (data1 === "aip.core.v1.handshake_response")) || (data1 === "aip.core.v1.action")) || (data1 === "aip.core.v1.ack")) || (data1 === "aip.core.v1.stream_chunk")) || (data1 === "aip.core.v1.action_result")) || (data1 === "aip.core.v1.error")) || (data1 === "aip.core.v1.cancel")) || (data1 === "aip.core.v1.heartbeat")) || (data1 === "aip.core.v1.heartbeat_ack")) || (data1 === "aip.core.v1.escalation")) || (data1 === "aip.core.v1.escalation_resolution")) || (data1 === "aip.lifecycle.v1.action_status_request")) || (data1 === "aip.lifecycle.v1.action_status")) || (data1 === "aip.lifecycle.v1.action_result_request")) || (data1 === "aip.lifecycle.v1.action_list_request")) || (data1 === "aip.lifecycle.v1.action_list")) || (data1 === "aip.lifecycle.v1.action_events_request")) || (data1 === "aip.lifecycle.v1.action_events")) || (data1 === "aip.policy.v1.approval_request")) || (data1 === "aip.policy.v1.approval_decision")) || (data1 === "aip.policy.v1.approval_query_request")) || (data1 === "aip.policy.v1.approval_list_request")) || (data1 === "aip.policy.v1.approval_record_view")) || (data1 === "aip.policy.v1.approval_list")) || (data1 === "aip.callback.v1.delivery_query_request")) || (data1 === "aip.callback.v1.delivery_list_request")) || (data1 === "aip.callback.v1.delivery_record")) || (data1 === "aip.callback.v1.delivery_list")) || (data1 === "aip.session.v1.session_request")) || (data1 === "aip.session.v1.session_view")) || (data1 === "aip.session.v1.session_list_request")) || (data1 === "aip.session.v1.session_list")) || (data1 === "aip.session.v1.session_close_request")) || (data1 === "aip.session.v1.session_resume_request")) || (data1 === "aip.session.v1.session_resume")) || (data1 === "aip.agent.v1.delegation_request")) || (data1 === "aip.agent.v1.delegation_result")) || (data1 === "aip.transaction.v1.request")) || (data1 === "aip.transaction.v1.result")) || (data1 === "aip.transaction.v1.query_request")) || (data1 === "aip.transaction.v1.view")) || (data1 === "aip.discovery.v1.manifest_request")) || (data1 === "aip.discovery.v1.manifest_response")) || (data1 === "aip.discovery.v1.event_stream_request")) || (data1 === "aip.discovery.v1.event_stream_response")) || (data1 === "aip.channel.v1.message_created")) || (data1 === "aip.channel.v1.conversation_updated")) || (data1 === "aip.audit.v1.receipt_chain")) || (data1 === "aip.audit.v1.receipt_query_request")) || (data1 === "aip.audit.v1.audit_event")) || (data1 === "aip.audit.v1.audit_query_request")) || (data1 === "aip.audit.v1.audit_query_result")) || (data1 === "aip.resource.v1.resource_list_request")) || (data1 === "aip.resource.v1.resource_list")) || (data1 === "aip.resource.v1.resource_read_request")) || (data1 === "aip.resource.v1.resource_read_result")) || (data1 === "aip.economic.v1.batch_settlement"))){
validate375.errors = [{instancePath:instancePath+"/message_type",schemaPath:"#/properties/message_type/enum",keyword:"enum",params:{allowedValues: schema141.properties.message_type.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.message_id !== undefined){
const _errs4 = errors;
if(typeof data.message_id !== "string"){
validate375.errors = [{instancePath:instancePath+"/message_id",schemaPath:"#/properties/message_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.sent_at !== undefined){
const _errs6 = errors;
if(typeof data.sent_at !== "string"){
validate375.errors = [{instancePath:instancePath+"/sent_at",schemaPath:"#/properties/sent_at/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.body !== undefined){
const _errs8 = errors;
if(!(validate316(data.body, {instancePath:instancePath+"/body",parentData:data,parentDataProperty:"body",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate316.errors : vErrors.concat(validate316.errors);
errors = vErrors.length;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.session_id !== undefined){
let data5 = data.session_id;
const _errs9 = errors;
if((typeof data5 !== "string") && (data5 !== null)){
validate375.errors = [{instancePath:instancePath+"/session_id",schemaPath:"#/properties/session_id/type",keyword:"type",params:{type: schema141.properties.session_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.correlation_id !== undefined){
let data6 = data.correlation_id;
const _errs11 = errors;
if((typeof data6 !== "string") && (data6 !== null)){
validate375.errors = [{instancePath:instancePath+"/correlation_id",schemaPath:"#/properties/correlation_id/type",keyword:"type",params:{type: schema141.properties.correlation_id.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.in_response_to !== undefined){
let data7 = data.in_response_to;
const _errs13 = errors;
if((typeof data7 !== "string") && (data7 !== null)){
validate375.errors = [{instancePath:instancePath+"/in_response_to",schemaPath:"#/properties/in_response_to/type",keyword:"type",params:{type: schema141.properties.in_response_to.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.idempotency_key !== undefined){
let data8 = data.idempotency_key;
const _errs15 = errors;
if((typeof data8 !== "string") && (data8 !== null)){
validate375.errors = [{instancePath:instancePath+"/idempotency_key",schemaPath:"#/properties/idempotency_key/type",keyword:"type",params:{type: schema141.properties.idempotency_key.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.from !== undefined){
let data9 = data.from;
const _errs17 = errors;
const _errs18 = errors;
let valid1 = false;
const _errs19 = errors;
if(!(validate57(data9, {instancePath:instancePath+"/from",parentData:data,parentDataProperty:"from",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var _valid0 = _errs19 === errors;
valid1 = valid1 || _valid0;
const _errs20 = errors;
if(data9 !== null){
const err0 = {instancePath:instancePath+"/from",schemaPath:"#/properties/from/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs20 === errors;
valid1 = valid1 || _valid0;
if(!valid1){
const err1 = {instancePath:instancePath+"/from",schemaPath:"#/properties/from/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate375.errors = vErrors;
return false;
}
else {
errors = _errs18;
if(vErrors !== null){
if(_errs18){
vErrors.length = _errs18;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.to !== undefined){
let data10 = data.to;
const _errs22 = errors;
const _errs23 = errors;
let valid2 = false;
const _errs24 = errors;
if(!(validate57(data10, {instancePath:instancePath+"/to",parentData:data,parentDataProperty:"to",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var _valid1 = _errs24 === errors;
valid2 = valid2 || _valid1;
const _errs25 = errors;
if(data10 !== null){
const err2 = {instancePath:instancePath+"/to",schemaPath:"#/properties/to/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
var _valid1 = _errs25 === errors;
valid2 = valid2 || _valid1;
if(!valid2){
const err3 = {instancePath:instancePath+"/to",schemaPath:"#/properties/to/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
validate375.errors = vErrors;
return false;
}
else {
errors = _errs23;
if(vErrors !== null){
if(_errs23){
vErrors.length = _errs23;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs22 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate375.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate375.errors = vErrors;
return errors === 0;
}
validate375.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

