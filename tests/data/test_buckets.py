"""Data in a bucket is read where it is, as the same files of a folder are; nothing is written there."""

from __future__ import annotations

import logging
import pickle
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from tests.conftest import Run
from tests.data.test_data_set import FRAME, SCHEMA, parted
from tokumei.data import DataSet, Source, Survey, input_path
from tokumei.errors import OutputError, UnreadableError
from tokumei.flow import Running
from tokumei.flow.parted.making import work_folder

boto3 = pytest.importorskip("boto3")
servers = pytest.importorskip("moto.server")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Serve a bucket with a data set in two parts and a CSV file; yield the folder they were copied from."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = servers.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    folder = parted(tmp_path_factory.mktemp("store") / "sales", FRAME, 3)
    with pytest.MonkeyPatch.context() as patch:
        host, port = server.get_host_and_port()
        for name, value in (("ACCESS_KEY_ID", "a"), ("SECRET_ACCESS_KEY", "b"), ("DEFAULT_REGION", "us-east-1")):
            patch.setenv(f"AWS_{name}", value)
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        client = boto3.client("s3")
        client.create_bucket(Bucket="shop")
        for part in folder.iterdir():
            client.upload_file(str(part), "shop", f"2026/sales/{part.name}")
        client.put_object(Bucket="shop", Key="one.csv", Body=FRAME.write_csv().encode())
        client.put_object(Bucket="shop", Key="2026/broken/part-00000.parquet", Body=b"PAR1")
        yield folder
    server.stop()


@pytest.mark.parametrize("text", ["s3://shop/2026/sales", "s3://shop/2026/sales/"])
def test_a_prefix_is_a_folder_of_parts(store: Path, text: str) -> None:
    data, folder = DataSet.open(input_path(text)), DataSet.open(store)
    assert (data.rows, data.columns, data.sha256) == (folder.rows, folder.columns, folder.sha256)
    assert data.scan().collect().equals(FRAME)
    assert Survey.of(data, SCHEMA).subjects.equals(Survey.of(folder, SCHEMA).subjects)


def test_what_is_sent_to_a_worker_reads_the_same_object(store: Path) -> None:
    sent = pickle.dumps(DataSet.open(input_path("s3://shop/2026/sales")))
    data = pickle.loads(sent)  # noqa: S301 - as engines send it
    batch = data.batch(3)
    assert (str(batch.file), batch.frame.rows()) == ("s3://shop/2026/sales/part-00001.parquet", FRAME[3:].rows())
    assert (store / batch.file.name).read_bytes() == batch.file.read_bytes()


@pytest.mark.usefixtures("store")
def test_one_object_is_read_as_a_file() -> None:
    source = Source.read("s3://shop/one.csv")
    assert pl.read_csv(source.content()).rows() == FRAME.rows()
    assert (source.path.suffix, source.path.stat().st_size) == (".csv", len(source.raw))


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("s3://shop/two.csv", "there is no such object"),
        ("s3://other/sales", "there is no bucket 'other'"),
        ("s3://shop/2026/broken", "part-00000.parquet: this is not a Parquet file"),
    ],
)
def test_what_is_not_there_is_said_in_one_sentence(run: Run, text: str, told: str) -> None:
    result = run("describe", text)
    assert result.status == 2
    assert told in result.err
    assert result.err.count("\n") == 1


def test_an_address_without_bucket_is_refused() -> None:
    with pytest.raises(UnreadableError, match="s3://BUCKET/PREFIX"):
        input_path("s3://")


def test_nothing_is_written_to_a_bucket(run: Run, tmp_path: Path) -> None:
    result = run("anonymize", "s3://shop/2026/sales", "-o", "s3://shop/release")
    assert result.status == 2
    assert "s3://shop/release cannot be written: it is an address" in result.err
    with pytest.raises(OutputError, match="address"), work_folder(Running(resume=Path("s3://shop/w")), tmp_path, "a"):
        pass
