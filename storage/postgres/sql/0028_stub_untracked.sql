-- Stub.
select 1;
